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

/** How the next healthy proxy is chosen. `sticky`: an identity keeps its first proxy. */
export const proxyRotations = ['round-robin', 'random', 'sticky'] as const
export type ProxyRotation = (typeof proxyRotations)[number]

const place = z
  .string()
  .min(2)
  .max(60)
  .regex(/^[\p{L}][\p{L} .'-]*$/u, 'the name of a place, without digits')

export const proxyPolicy = z.strictObject({
  /** `auto`: use the operator's proxies if there are any. `never`: connect directly. `always`: fail if there is no proxy. */
  use: z.enum(['auto', 'never', 'always']).default('auto'),
  /** The job's own proxies instead of the operator's. */
  urls: z.array(proxyUrl).min(1).max(10_000).optional(),
  /** The name of a configured provider. May be left out if only one provider is configured. */
  provider: z
    .string()
    .regex(/^[a-z0-9][a-z0-9._-]{0,63}$/, 'the name of a provider')
    .optional(),
  /** The kind of proxies of the provider: `datacenter`, `residential`, `web-unlocker`. */
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
  /** After a request to a host, the proxy is not used for that host again until this time has passed. */
  restMs: z.int().min(0).max(86_400_000).default(30_000),
})
export type ProxyPolicy = z.output<typeof proxyPolicy>

/** An identity is a proxy, cookies, headers and a fingerprint that stay together. */
export const identityPolicy = z.strictObject({
  /** `own` identifies us. `browser` sends the headers of a browser; it needs a consent and is recorded in the job's conduct. */
  headers: z.enum(['own', 'browser']).default('own'),
  /** The TLS handshake: `own`, or like a `browser`, under the same conditions as `headers`. */
  tls: z.enum(['own', 'browser']).default('own'),
  /** The kind of browser; default: `browser` of the job. */
  browser: z.enum(browserKinds).optional(),
  /** Number of identities that the job rotates through. Default: 1 without proxies or with sticky rotation; otherwise one per
   *  proxy, and ten for a gateway with many exits. */
  count: z.int().min(1).max(10_000).optional(),
  /** Number of tasks after which an identity rests for `restMs`. */
  usesBeforeRest: z.int().min(1).max(1_000_000).default(50),
  restMs: z.int().min(0).max(86_400_000).default(60_000),
  /** The maximum age of an identity. Older identities are replaced. */
  maxAgeMs: z.int().min(1_000).max(31_536_000_000).default(3_600_000),
  /** Number of failures after which an identity is excluded. Two successes cancel one failure. A blocked identity is excluded
   *  at once. */
  maxFailures: z.int().min(1).max(1_000).default(3),
})
export type IdentityPolicy = z.output<typeof identityPolicy>

/** Adds the job's own proxies to a task's choice. A task that names a provider does not use the job's own proxies. */
export function withJobUrls(
  { urls: _, ...choice }: ProxyPolicy,
  { urls }: Partial<Pick<ProxyPolicy, 'urls'>>,
): ProxyPolicy {
  const isOther = choice.provider !== undefined || choice.type !== undefined
  return urls === undefined || isOther ? choice : { ...choice, urls }
}

/** The identity of a task. The coordinator chooses it when the task starts. HTTP and browser requests use the same one. */
export interface TaskIdentity {
  /** Unique within a job. It also replaces `{session}` in the proxy's user name. */
  id: string
  /** Key of the proxy; null means a direct connection. */
  proxy: string | null
  /** The proxy policy, if it differs from the job's. It excludes the job's own proxy URLs, because they contain
   *  passwords. */
  via?: Omit<ProxyPolicy, 'urls'>
  /** Country of the proxy, if known. */
  region: string | null
  /** Cookies for the task's host as JSON, if there are any. */
  cookies?: string
}

/** Requirements for a proxy, for callers that do not know which proxies are configured. */
export interface ProxyOptions {
  country?: string | undefined
  /** Only proxies of this kind, for example `residential`. */
  type?: string | undefined
}

export interface FoundProxies {
  /** The policy of a job that uses these proxies. */
  proxy: Pick<ProxyPolicy, 'provider' | 'type' | 'country'>
  /** The provider that charges for these proxies; null if they are the operator's own. */
  provider: string | null
}

/** The health of a proxy, without secrets. */
export interface ProxyState {
  /** `http://proxy.example:8080`. A second proxy with the same address ends in `#2`. */
  name: string
  /** The owner: the operator, a provider, or a job. */
  source: string
  isHealthy: boolean
  successes: number
  failures: number
  /** Code of the last failure; null while the proxy is healthy. */
  trouble: string | null
  /** When the proxy became unhealthy, in epoch ms; null while it is healthy. */
  since: number | null
}
