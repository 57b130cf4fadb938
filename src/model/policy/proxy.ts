// Proxy and identity policies: they decide what a site sees of us.
import * as z from 'zod'
import { browserKinds } from './rendering.ts'

export const proxySchemes = ['http', 'https', 'socks5', 'socks5h'] as const
export type ProxyScheme = (typeof proxySchemes)[number]

/** `scheme://[user:password@]host[:port]`. The user may contain `{session}`, `{country}`, `{state}` and `{city}`. */
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

/** The order of healthy proxies. `sticky`: an identity keeps its first proxy. */
export const proxyRotations = ['round-robin', 'random', 'sticky'] as const
export type ProxyRotation = (typeof proxyRotations)[number]

const place = z
  .string()
  .min(2)
  .max(60)
  .regex(/^[\p{L}][\p{L} .'-]*$/u, 'the name of a place, without digits')

export const proxyPolicy = z.strictObject({
  /** `auto`: the operator's proxies if there are any. `never`: direct. `always`: a proxy or failure. */
  use: z.enum(['auto', 'never', 'always']).default('auto'),
  /** The job's own proxies instead of the operator's. */
  urls: z.array(proxyUrl).min(1).max(10_000).optional(),
  /** A configured provider by name; default: the only one. */
  provider: z
    .string()
    .regex(/^[a-z0-9][a-z0-9._-]{0,63}$/, 'the name of a provider')
    .optional(),
  /** The network of the provider: `datacenter`, `residential`, `web-unlocker`. */
  type: z
    .string()
    .regex(/^[a-z0-9][a-z0-9._-]{0,63}$/, 'a kind of proxies, like "residential"')
    .optional(),
  /** Location of the proxy. */
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

/** An identity is a proxy, cookies, headers and a fingerprint that stay together. */
export const identityPolicy = z.strictObject({
  /** `own` identifies us. `browser` sends the headers of a browser; it needs a consent and is recorded in the job's conduct. */
  headers: z.enum(['own', 'browser']).default('own'),
  /** The same for the handshake of TLS. */
  tls: z.enum(['own', 'browser']).default('own'),
  /** The kind of browser; default: `browser` of the job. */
  browser: z.enum(browserKinds).optional(),
  /** Number of identities that take turns. Default: one, or one per proxy. */
  count: z.int().min(1).max(10_000).optional(),
  /** Tasks after which an identity rests for `restMs`. */
  usesBeforeRest: z.int().min(1).max(1_000_000).default(50),
  restMs: z.int().min(0).max(86_400_000).default(60_000),
  /** Older identities are replaced. */
  maxAgeMs: z.int().min(1_000).max(31_536_000_000).default(3_600_000),
  /** Failures (each cancelled by two successes) after which an identity is excluded. A blocked one is excluded at once. */
  maxFailures: z.int().min(1).max(1_000).default(3),
})
export type IdentityPolicy = z.output<typeof identityPolicy>

/** A task's choice of proxies over its job's: a task that names a provider does not use the job's own proxies. */
export function withJobUrls(
  { urls: _, ...choice }: ProxyPolicy,
  { urls }: Partial<Pick<ProxyPolicy, 'urls'>>,
): ProxyPolicy {
  const isOther = choice.provider !== undefined || choice.type !== undefined
  return urls === undefined || isOther ? choice : { ...choice, urls }
}

/** The identity of a task: chosen at release, and the same for both fetch modes. */
export interface TaskIdentity {
  /** Unique within a job; also the value of a proxy's `{session}`. */
  id: string
  /** Key of the proxy; null means a direct connection. */
  proxy: string | null
  /** The proxy policy, if it differs from the job's. Without the job's own URLs, because they contain passwords. */
  via?: Omit<ProxyPolicy, 'urls'>
  /** Country of the proxy, if known. */
  region: string | null
  /** Cookies for the task's host as JSON, if there are any. */
  cookies?: string
}

/** Requirements for a proxy, for callers that do not know the configured ones. */
export interface ProxyOptions {
  country?: string | undefined
  /** Only of a provider's networks of this type. */
  type?: string | undefined
}

export interface FoundProxies {
  /** The policy of a job that uses them. */
  proxy: Pick<ProxyPolicy, 'provider' | 'type' | 'country'>
  /** The provider that charges for it, if any. */
  provider: string | null
}

/** How a proxy is doing, without anything secret. */
export interface ProxyState {
  /** `http://proxy.example:8080`, with `#2` for a further one at the same place. */
  name: string
  /** The owner: the operator, a provider, or a job. */
  source: string
  isHealthy: boolean
  successes: number
  failures: number
  /** Code of the last failure, while it is unhealthy. */
  trouble: string | null
  /** Since when it has been unhealthy. */
  since: number | null
}
