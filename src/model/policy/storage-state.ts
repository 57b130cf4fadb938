// The schema of Playwright's `storageState` files: the cookies and local storage of a browser context.
import * as z from 'zod'

const origin = z
  .string()
  .refine(text => /^https?:\/\/[^/]/i.test(text) && URL.canParse(text), 'must be like https://shop.example')
  .transform(text => new URL(text).origin)

/** Local storage by origin. Other fields, like Playwright's `indexedDB`, are dropped. */
export const storedOrigins = z.array(
  z.object({
    origin,
    localStorage: z.array(z.object({ name: z.string(), value: z.string() })).default([]),
  }),
)

const storedCookie = z.object({
  name: z.string(),
  value: z.string(),
  domain: z.string().min(1).describe('If the domain starts with a dot, its subdomains get the cookie too.'),
  path: z.string().startsWith('/').default('/'),
  expires: z.number().default(-1).describe('Epoch seconds; -1 means until the browser closes.'),
  httpOnly: z.boolean().default(false),
  secure: z.boolean().default(false),
  sameSite: z.enum(['Strict', 'Lax', 'None']).default('Lax'),
})

export const storageStateSchema = z.object({
  cookies: z.array(storedCookie).default([]),
  origins: storedOrigins.default([]),
})
