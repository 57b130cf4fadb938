// By which proxy and as whom a job's pages are asked for: the two parts of a policy that decide what a site sees of us.
import * as z from 'zod'
import { browserKinds } from './rendering.ts'

export const proxySchemes = ['http', 'https', 'socks5', 'socks5h'] as const
export type ProxyScheme = (typeof proxySchemes)[number]

/** `scheme://[user:password@]host[:port]`. The user may hold `{session}`, `{country}`, `{state}` and `{city}`. */
export const proxyUrl = z
  .string()
  .max(2_000)
  .refine(
    isProxyUrl,
    'a proxy like "http://user:password@proxy.example:8080" or "socks5://proxy.example:1080"',
  )

function isProxyUrl(text: string): boolean {
  const url = URL.parse(text)
  if (url === null || url.hostname === '') return false
  const isPlace = /^\/?$/.test(url.pathname) && url.search === '' && url.hash === ''
  return isPlace && (proxySchemes as readonly string[]).includes(url.protocol.slice(0, -1))
}

/** Which of the healthy ones is next. `sticky`: an identity keeps the one it began with. */
export const proxyRotations = ['round-robin', 'random', 'sticky'] as const
export type ProxyRotation = (typeof proxyRotations)[number]

const place = z
  .string()
  .min(2)
  .max(60)
  .regex(/^[\p{L}][\p{L} .'-]*$/u, 'the name of a place, without digits')

export const proxyPolicy = z.strictObject({
  /** `auto`: through the operator's where there are any. `never`: from here. `always`: by a proxy or not at all. */
  use: z.enum(['auto', 'never', 'always']).default('auto'),
  /** The job's own, in place of the operator's. */
  urls: z.array(proxyUrl).min(1).max(10_000).optional(),
  /** A provider that the operator has set up, by name; the only one where nothing is said. */
  provider: z
    .string()
    .regex(/^[a-z0-9][a-z0-9._-]{0,63}$/, 'the name of a provider')
    .optional(),
  /** Which of the provider's networks: `datacenter`, `residential`, `web-unlocker`. */
  type: z
    .string()
    .regex(/^[a-z0-9][a-z0-9._-]{0,63}$/, 'a kind of proxies, like "residential"')
    .optional(),
  /** Where the proxy is to stand. */
  country: z
    .string()
    .regex(/^[a-zA-Z]{2}$/, 'a country in two letters, like "de"')
    .optional(),
  state: place.optional(),
  city: place.optional(),
  rotation: z.enum(proxyRotations).default('round-robin'),
  /** How long a proxy that was used for a host is not used for it again. */
  restMs: z.int().min(0).max(86_400_000).default(30_000),
})
export type ProxyPolicy = z.output<typeof proxyPolicy>

/** Who asks. An identity is a proxy, cookies, headers and a fingerprint that stay together. */
export const identityPolicy = z.strictObject({
  /** `own` says who we are. `browser` sends what a browser sends; must be asked for, and is noted in the job's conduct. */
  headers: z.enum(['own', 'browser']).default('own'),
  /** The same for the handshake of TLS. */
  tls: z.enum(['own', 'browser']).default('own'),
  /** With which browser, where one is used; without a word, as `browser` of the job says. */
  browser: z.enum(browserKinds).optional(),
  /** Identities that take turns. Without a word: one, or one for each proxy. */
  count: z.int().min(1).max(10_000).optional(),
  /** Tasks after which an identity rests for `restMs`. */
  usesBeforeRest: z.int().min(1).max(1_000_000).default(50),
  restMs: z.int().min(0).max(86_400_000).default(60_000),
  /** An identity that old makes room for a new one. */
  maxAgeMs: z.int().min(1_000).max(31_536_000_000).default(3_600_000),
  /** Failures, each made up for by two successes, after which an identity is given up. One that is blocked is at once. */
  maxFailures: z.int().min(1).max(1_000).default(3),
})
export type IdentityPolicy = z.output<typeof identityPolicy>

/** A task's choice of proxies over its job's own: one that names a provider does without those. */
export function withJobUrls(
  { urls: _, ...choice }: ProxyPolicy,
  { urls }: Partial<Pick<ProxyPolicy, 'urls'>>,
): ProxyPolicy {
  const isOther = choice.provider !== undefined || choice.type !== undefined
  return urls === undefined || isOther ? choice : { ...choice, urls }
}

/** As whom a task is done: chosen when it is handed out, and the same by every way. */
export interface TaskIdentity {
  /** Tells one identity of a job from another; also what a proxy's `{session}` becomes. */
  id: string
  /** Key of the proxy; null goes out from here. */
  proxy: string | null
  /** What was asked of proxies, where that is not what the job asks for; the job's own have passwords, which go along with nobody. */
  via?: Omit<ProxyPolicy, 'urls'>
  /** Country that the proxy stands in, where that is known. */
  region: string | null
  /** Cookies for the task's host as JSON, where it came by some before. */
  cookies?: string
}

/** What is asked of a proxy by whoever does not know which there are. */
export interface ProxyOptions {
  country?: string | undefined
  /** Only of a provider's networks of this type. */
  type?: string | undefined
}

export interface FoundProxies {
  /** What a job says to go through them. */
  proxy: Pick<ProxyPolicy, 'provider' | 'type' | 'country'>
  /** The provider that it costs money with, where it is one's. */
  provider: string | null
}

/** How a proxy is doing, without anything secret. */
export interface ProxyState {
  /** `http://proxy.example:8080`, with `#2` for a further one at the same place. */
  name: string
  /** Whose: the operator's, a provider's, or a job's. */
  source: string
  isHealthy: boolean
  successes: number
  failures: number
  /** Code of the last failure, while it is unhealthy. */
  trouble: string | null
  /** When it was last found to be unhealthy. */
  since: number | null
}
