// A fetch request as a job: every link through the stealth browser, each in a context of its own.
import { Failure } from '../../../model/failures.ts'
import type { GivenSpec } from '../../../model/job.ts'
import { proxyUrl } from '../../../model/policy/proxy.ts'
import { parseJobSpec } from '../../../pipeline/submit/submit-job.ts'
import type { FetchBody, Warning } from './schemas.ts'

const usualConcurrency = 5
const mostConcurrency = 20
/** What a page may take beside the rest that was asked for; the usual limits of a browser task. */
const navigationMs = 30_000
const taskMs = 60_000

/** Calling this face is the opt-in to the stealth browser; that is noted with the job like any other consent. */
export function specOf({ links, options }: FetchBody): GivenSpec {
  const { waitMin, waitMax, proxies, webhookUrl } = options ?? {}
  const wait = waitOf(waitMin ?? null, waitMax ?? null)
  return parseJobSpec({
    // By name, so that a link that stands there twice has two results.
    items: links.map((url, index) => ({ itemId: `link-${index + 1}`, input: { url } })),
    render: 'always',
    browser: 'stealth',
    ...(wait && { rendering: { waitFor: wait } }),
    concurrency: concurrencyOf(options?.concurrencyLimit ?? usualConcurrency),
    policy: {
      // One by chance for each link; nobody said that they must rest.
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

/** The lower end alone is both, the upper one alone begins at 0; without either a page is read when it has loaded. */
function waitOf(min: number | null, max: number | null): { minMs: number; maxMs: number } | null {
  if (min === null && max === null) return null
  const span = { minMs: milliseconds(min ?? 0), maxMs: milliseconds(max ?? min ?? 0) }
  return span.maxMs > 0 ? span : null
}

const milliseconds = (seconds: number): number => Math.round(seconds * 1_000)

const concurrencyOf = (limit: number): number => Math.min(limit, mostConcurrency)

/** As people write proxies: a URL, `host:port`, or `host:port:user:password`. */
function proxyOf(text: string, index: number): string {
  const [, place, user, password] = /^([^\s/:@]+:\d{1,5})(?::([^:@\s]+):(\S+))?$/.exec(text) ?? []
  const credentials =
    user === undefined ? '' : `${encodeURIComponent(user)}:${encodeURIComponent(password ?? '')}@`
  const url =
    place === undefined ? (text.includes('://') ? text : `http://${text}`) : `http://${credentials}${place}`
  if (proxyUrl.safeParse(url).success) return url
  throw new Failure(
    'input.invalid',
    `options.proxies[${index}] is no proxy; write http://user:password@host:port, socks5://host:port or host:port`,
    { path: `options.proxies[${index}]` },
  )
}

/** What is done otherwise than it was asked for. */
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
            message: `${limit} is more than ${mostConcurrency}, so ${mostConcurrency} pages are open at a time`,
          },
        ]),
  ]
}

const forcedHeadless = (field: string): Warning => ({
  field,
  message: 'browsers are always headless here, so this was set to true',
})

/** What is wrong is said with the names that the caller used. */
export function inTheirWords(error: unknown): unknown {
  if (!(error instanceof Failure) || typeof error.details.path !== 'string') return error
  const { code, message, details } = error
  const { path: given, ...others } = details
  // No field of theirs asks for it: the face itself does.
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
