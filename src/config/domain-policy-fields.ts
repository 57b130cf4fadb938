// The YAML form of a host policy. The same table is used for reading and writing.
import { formatDuration, formatRate, parseDuration, parseRate } from '../lib/text/units.ts'
import type { Rate } from '../model/policy/policy.ts'

/** One YAML key: its internal name, and functions that read and write its value. */
interface Field {
  inside: string
  read: (value: unknown) => unknown
  write: (value: unknown) => unknown
  /** The inner keys, if the value is a map. */
  fields?: Fields
}
export type Fields = Readonly<Record<string, Field>>

const asIs = (value: unknown): unknown => value
const plain = (inside: string): Field => ({ inside, read: asIs, write: asIs })

const duration = (inside: string): Field => ({
  inside,
  read: value => parseDuration(String(value)),
  write: value => formatDuration(value as number),
})

const rate: Field = {
  inside: 'rate',
  read: value => parseRate(String(value)),
  write: value => formatRate(value as Rate),
}

const map = (inside: string, fields: Fields): Field => ({ ...plain(inside), fields })

/** With this value, requests to a domain are allowed at any time, even if `default` has allowed hours. */
export const anyTime = 'always'

export const policyFields: Fields = {
  rate,
  burst: plain('burst'),
  concurrency: plain('concurrency'),
  crawl_delay_cap: duration('crawlDelayCapMs'),
  allowed_hours: map('hours', {
    from: plain('from'),
    to: plain('to'),
    time_zone: plain('timeZone'),
    days: plain('days'),
  }),
  robots: plain('robots'),
  action_delay: map('actionDelayMs', { min: duration('min'), max: duration('max') }),
  backoff: map('slowdown', {
    factor: plain('factor'),
    duration: duration('durationMs'),
    restore_steps: plain('restoreSteps'),
    max_retry_after: duration('maxRetryAfterMs'),
  }),
  breaker: map('breaker', {
    window: plain('window'),
    failures: plain('failures'),
    cooldown: duration('cooldownMs'),
  }),
  timeouts: map('timeouts', {
    connect: duration('connectMs'),
    headers: duration('headersMs'),
    idle: duration('idleMs'),
    total: duration('totalMs'),
    task: duration('taskMs'),
  }),
  retries: map('retries', {
    attempts: plain('attempts'),
    strategy: plain('strategy'),
    base: duration('baseMs'),
    factor: plain('factor'),
    cap: duration('capMs'),
    jitter: plain('jitter'),
  }),
  blocks: map('blocks', { retries: plain('retries') }),
  max_bytes: plain('maxBytes'),
  render: plain('render'),
  browser: map('browser', {
    isolation: plain('isolation'),
    navigation: duration('navigationMs'),
    task: duration('taskMs'),
    keep_on_failure: plain('keepOnFailure'),
  }),
  proxy: map('proxy', {
    use: plain('use'),
    provider: plain('provider'),
    type: plain('type'),
    country: plain('country'),
    state: plain('state'),
    city: plain('city'),
    rotation: plain('rotation'),
    rest: duration('restMs'),
  }),
  identity: map('identity', {
    headers: plain('headers'),
    tls: plain('tls'),
    browser: plain('browser'),
    count: plain('count'),
    uses_before_rest: plain('usesBeforeRest'),
    rest: duration('restMs'),
    max_age: duration('maxAgeMs'),
    max_failures: plain('maxFailures'),
  }),
}

/** Translates an internal path to the path in the file: `slowdown.durationMs` is `backoff.duration`. */
export function writtenPath(inside: readonly PropertyKey[], fields: Fields = policyFields): string[] {
  const [first, ...rest] = inside
  const found = Object.entries(fields).find(([, field]) => field.inside === first)
  if (!found) return []
  return [found[0], ...writtenPath(rest, found[1].fields ?? {})]
}

/** The YAML values of a policy, in the order of the table. */
export function writeFields(value: object, fields: Fields = policyFields): Record<string, unknown> {
  const written: Record<string, unknown> = {}
  for (const [key, field] of Object.entries(fields)) {
    const part = (value as Record<string, unknown>)[field.inside]
    if (part === undefined) continue
    written[key] =
      field.fields && typeof part === 'object' ? writeFields(part!, field.fields) : field.write(part)
  }
  return written
}
