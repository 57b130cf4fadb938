// Turns a fetch request into a job: every link in the stealth browser, each in its own context.
import { Failure } from '../../../model/failures.ts'
import type { GivenSpec } from '../../../model/job.ts'
import { proxyUrl } from '../../../model/policy/proxy.ts'
import { parseJobSpec } from '../../../pipeline/submit/submit-job.ts'
import type { FetchBody, Warning } from './schemas.ts'

const usualConcurrency = 5
const mostConcurrency = 20
/** Time limits of a page, as for other browser tasks. The extra wait that the caller requests is added. */
const navigationMs = 30_000
const taskMs = 60_000

/** A call of this API counts as consent to the stealth browser. The job records this consent like any other. */
export function specOf({ links, options }: FetchBody): GivenSpec {
  const { waitMin, waitMax, proxies, webhookUrl } = options ?? {}
  const wait = waitOf(waitMin ?? null, waitMax ?? null)
  return parseJobSpec({
    // Items have ids, so that a link that occurs twice gets two results.
    items: links.map((url, index) => ({ itemId: `link-${index + 1}`, input: { url } })),
    render: 'always',
    browser: 'stealth',
    ...(wait && { rendering: { waitFor: wait } }),
    concurrency: concurrencyOf(options?.concurrencyLimit ?? usualConcurrency),
    policy: {
      // Each link uses a random proxy. A proxy needs no pause between two uses (`restMs: 0`), because the request cannot ask
      // for one.
      ...(proxies &&
        proxies.length > 0 && {
          proxy: { use: 'always', urls: proxies.map(proxyOf), rotation: 'random', restMs: 0 },
        }),
      browser: {
        isolation: 'task',
        navigationMs: navigationMs + (wait?.maxMs ?? 0),
        taskMs: taskMs + (wait?.maxMs ?? 0),
      },
    },
    ...(webhookUrl && { webhookUrl }),
  })
}

/** The random wait after the load. With a minimum only, the wait is fixed. With a maximum only, it starts at 0. Null if
 *  neither is set. */
function waitOf(min: number | null, max: number | null): { minMs: number; maxMs: number } | null {
  if (min === null && max === null) return null
  const span = { minMs: milliseconds(min ?? 0), maxMs: milliseconds(max ?? min ?? 0) }
  return span.maxMs > 0 ? span : null
}

const milliseconds = (seconds: number): number => Math.round(seconds * 1_000)

const concurrencyOf = (limit: number): number => Math.min(limit, mostConcurrency)

/** Accepts a URL, `host:port` or `host:port:user:password`. */
function proxyOf(text: string, index: number): string {
  const [, place, user, password] = /^([^\s/:@]+:\d{1,5})(?::([^:@\s]+):(\S+))?$/.exec(text) ?? []
  const credentials =
    user === undefined ? '' : `${encodeURIComponent(user)}:${encodeURIComponent(password ?? '')}@`
  const url =
    place === undefined ? (text.includes('://') ? text : `http://${text}`) : `http://${credentials}${place}`
  if (proxyUrl.safeParse(url).success) return url
  throw new Failure(
    'input.invalid',
    `options.proxies[${index}] is not a proxy; write http://user:password@host:port, socks5://host:port or host:port`,
    { path: `options.proxies[${index}]` },
  )
}

/** One warning for each option that the job ignores or changes. */
export function warningsOf({ options, headless }: FetchBody): Warning[] {
  const limit = options?.concurrencyLimit ?? usualConcurrency
  return [
    ...(headless === undefined ? [] : [forcedHeadless('headless')]),
    ...(options?.headless === undefined ? [] : [forcedHeadless('options.headless')]),
    ...(limit <= mostConcurrency
      ? []
      : [
          {
            field: 'options.concurrency_limit',
            message: `${limit} is above the limit of ${mostConcurrency}; ${mostConcurrency} pages are open at a time`,
          },
        ]),
  ]
}

const forcedHeadless = (field: string): Warning => ({
  field,
  message: 'browsers of this service are always headless, so the option headless was set to true',
})

/** Errors use the field names of the request, not of the job. */
export function inTheirWords(error: unknown): unknown {
  if (!(error instanceof Failure) || typeof error.details.path !== 'string') return error
  const { code, message, details } = error
  const { path: given, ...others } = details
  // No request field selects the browser, because this API always uses the stealth browser. So the message names the
  // API.
  if (given === 'browser')
    return new Failure(code, message.replace(/^browser: /, '/fetch uses the stealth browser: '), others)
  const path = placeOf(String(given))
  return new Failure(code, message.replaceAll(String(given), path), { ...others, path }, { cause: error })
}

const placeOf = (path: string): string =>
  path
    .replace(/^items\[(\d+)\].*$/, 'links[$1]')
    .replace(/^webhook_url$/, 'options.webhook_url')
    .replace(/^policy\.proxy\.urls/, 'options.proxies')
