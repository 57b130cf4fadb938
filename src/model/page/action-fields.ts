// Fields that actions share: element, timeout, condition; and their validation.
import * as z from 'zod'
import { selectorList, selectorText } from './selector-text.ts'
import { hasTemplate, readTemplate } from './templates.ts'

export const maxScriptLength = 100_000
export const maxRounds = 10_000

export const milliseconds = z.int().min(0).max(600_000)

export const template = (most: number) =>
  z
    .string()
    .max(most)
    .superRefine((text, context) => {
      const parts = readTemplate(text)
      if (typeof parts === 'string') context.addIssue({ code: 'custom', message: parts })
    })

/** An http or https URL, or a URL relative to the page. `file:` and `javascript:` URLs are refused. */
export const address = template(8_192)
  .min(1)
  .refine(
    url => hasTemplate(url) || /^[./?]/.test(url) || /^https?:\/\/[^\s]+$/i.test(url),
    'an http or https URL, or a path like "/search"',
  )

/** The fields that every action has. */
export const step = {
  timeoutMs: milliseconds.min(1).optional(),
  /** The frame of the action, as a path of frame indexes from the page: `[0, 1]`. */
  frame: z.array(z.int().min(0).max(1_000)).max(20).optional(),
  /** The page of the action: `main`, or the URL of a pop-up. */
  target: z.string().min(1).max(8_192).optional(),
  /** The action ends only after a navigation. The URL and title of the new page can be checked. */
  expectNavigation: z
    .union([
      z.boolean(),
      z.strictObject({
        /** The expected URL. Query and fragment are compared only if this URL has them. */
        url: template(8_192).optional(),
        title: template(2_000).optional(),
        /** True if the URL is from a recording. If the replay types other values than the recording, only the origin is
         *  compared. */
        recorded: z.boolean().optional(),
      }),
    ])
    .optional(),
}

/** The element of an action: one selector, or several selectors. The first selector that matches is used. */
export const place = {
  ...step,
  selector: selectorText.optional(),
  selectors: selectorList.optional(),
  /** Searches inside the current element of a for-each. Without a selector, the action uses that element itself. */
  within: z.literal('item').optional(),
}

interface Placed {
  selector?: string | undefined
  selectors?: unknown
  within?: 'item' | undefined
}

export const oneSelector = <Schema extends z.ZodType<Placed>>(schema: Schema): Schema =>
  schema.refine(
    ({ selector, selectors, within }) =>
      Number(selector !== undefined) + Number(selectors !== undefined) === 1 ||
      (within !== undefined && selector === undefined && selectors === undefined),
    { message: 'needs exactly one of selector and selectors', path: ['selector'] },
  )

export const notBoth = <Schema extends z.ZodType<Placed>>(schema: Schema): Schema =>
  schema.refine(({ selector, selectors }) => selector === undefined || selectors === undefined, {
    message: 'has both selector and selectors; one of them is enough',
    path: ['selectors'],
  })

export const columnName = z.string().min(1).max(200)
export const valueName = z
  .string()
  .regex(/^[A-Za-z_][A-Za-z0-9_]{0,99}$/, 'a name of letters, digits and "_"')
export const key = z.string().min(1).max(50)
export const text = template(100_000)

/** Conditions on the page or the row. */
export const condition = {
  ...place,
  expression: z.string().min(1).max(maxScriptLength).optional(),
  urlContains: template(2_000).optional(),
  /** True if the input row has a value in this column. */
  column: columnName.optional(),
  not: z.boolean().default(false),
}

interface Asked extends Placed {
  expression?: string | undefined
  urlContains?: string | undefined
  column?: string | undefined
}

export const oneCondition = <Schema extends z.ZodType<Asked>>(schema: Schema): Schema =>
  schema.refine(
    ({ selector, selectors, expression, urlContains, column }) =>
      [selector, selectors, expression, urlContains, column].filter(given => given !== undefined).length ===
      1,
    'needs one condition: selector, selectors, expression, url_contains or column',
  )
