// The execution policy: politeness, retries, timeouts, limits. Each part has its own schema, which also
// sets the defaults. The schemas of proxies, identities and browsers are in other files of this folder.
import * as z from 'zod'
import { asGiven, laidOver } from './given-policy.ts'
import { identityPolicy, proxyPolicy } from './proxy.ts'
import { browserPolicy, type Rendering, type RenderMode, rendering, renderModes } from './rendering.ts'

const milliseconds = (fallback: number) => z.int().min(0).max(86_400_000).default(fallback)

/** Requests per second, of one host or of one job. `unlimited` means no limit. */
export const rate = z.union([z.number().positive().max(100_000), z.literal('unlimited')])
export type Rate = z.infer<typeof rate>

const clockTime = z.string().regex(/^([01]\d|2[0-3]):[0-5]\d$/, 'a time of day like "08:30"')
export const weekdays = ['mon', 'tue', 'wed', 'thu', 'fri', 'sat', 'sun'] as const

/** The hours in which requests are allowed. If `from` is after `to`, the hours span midnight. */
export const allowedHours = z.strictObject({
  from: clockTime,
  to: clockTime,
  timeZone: z.string().default('UTC').refine(isTimeZone, 'a time zone name like "Europe/Berlin"'),
  days: z
    .array(z.enum(weekdays))
    .min(1)
    .default([...weekdays]),
})
export type AllowedHours = z.infer<typeof allowedHours>

function isTimeZone(name: string): boolean {
  try {
    return Boolean(new Intl.DateTimeFormat('en', { timeZone: name }))
  } catch {
    return false
  }
}

const slowdown = z.strictObject({
  /** After a 429, the rate is multiplied by this factor. */
  factor: z.number().gt(0).lt(1).default(0.5),
  durationMs: milliseconds(60_000),
  /** Number of steps in which the rate returns to its full value, after `durationMs`. */
  restoreSteps: z.int().min(1).max(100).default(4),
  maxRetryAfterMs: milliseconds(600_000),
})

const hostBreaker = z.strictObject({
  window: z.int().min(1).max(1_000).default(10),
  failures: z.int().min(1).max(1_000).default(5),
  cooldownMs: milliseconds(120_000),
})

export const timeouts = z.strictObject({
  connectMs: milliseconds(10_000),
  headersMs: milliseconds(15_000),
  /** Longest time without new bytes while a body arrives. */
  idleMs: milliseconds(15_000),
  totalMs: milliseconds(60_000),
})
export type Timeouts = z.infer<typeof timeouts>

/** `taskMs` limits the whole task, including the scraper's own code, but not the waits for slots. 0 means no limit. */
const taskTimeouts = timeouts.extend({ taskMs: milliseconds(300_000) })

export const retries = z.strictObject({
  /** Number of further attempts after the first attempt. */
  attempts: z.int().min(0).max(20).default(3),
  strategy: z.enum(['exponential', 'linear']).default('exponential'),
  baseMs: milliseconds(1_000),
  factor: z.number().min(1).max(10).default(2),
  capMs: milliseconds(60_000),
  /** Share of the wait that is random: 0.2 means ±20 %. */
  jitter: z.number().min(0).max(1).default(0.2),
})
export type Retries = z.infer<typeof retries>

/** How blocked tasks are handled: tasks that end at a captcha or a refusal. */
const blockHandling = z.strictObject({
  /** Number of further attempts after a block, each with another session or proxy. They do not count as `retries`. */
  retries: z.int().min(0).max(5).default(0),
})

/** Size limit of a response body. A larger body fails the task; it is not cut. */
const maxBytes = z.int().min(1_024).max(1_073_741_824)

/** The policy of one task, or of every task at a domain: only the fields that differ. */
export const taskPolicy = z.strictObject({
  timeouts: asGiven(taskTimeouts).optional(),
  retries: asGiven(retries).optional(),
  blocks: asGiven(blockHandling).optional(),
  maxBytes: maxBytes.optional(),
  browser: asGiven(browserPolicy).optional(),
  /** Chooses among the configured proxies. Only a job can bring its own proxies (`urls`). */
  proxy: asGiven(proxyPolicy.omit({ urls: true })).optional(),
  identity: asGiven(identityPolicy).optional(),
  /** When the pages of these tasks use a browser. */
  render: z.enum(renderModes).optional(),
})
export type TaskPolicy = z.infer<typeof taskPolicy>

/** The policy of one item, with browser options for its page. */
export const itemPolicy = taskPolicy.extend({
  rendering: asGiven(
    rendering.pick({ waitFor: true, scroll: true, mobile: true, block: true, settleMs: true }),
  ).optional(),
})
export type ItemPolicy = z.infer<typeof itemPolicy>

/** The policy of a host; an entry of `domain_policies.yaml`. */
export const hostPolicy = z.strictObject({
  rate: rate.default(1),
  burst: z.int().min(1).max(10_000).default(1),
  concurrency: z.int().min(1).max(1_000).default(1),
  /** A longer Crawl-delay of robots.txt is cut to this value. */
  crawlDelayCapMs: milliseconds(30_000),
  hours: allowedHours.optional(),
  robots: z.enum(['obey', 'ignore']).default('obey'),
  /** Pause between the actions of a browser run on this host. */
  actionDelayMs: z
    .strictObject({ min: milliseconds(500), max: milliseconds(2_000) })
    .refine(delay => delay.min <= delay.max, 'min is above max')
    .prefault({}),
  slowdown: slowdown.prefault({}),
  breaker: hostBreaker.prefault({}),
  /** Policy of tasks at this host; the scraper's and the job's values win. */
  ...taskPolicy.shape,
})
export type HostPolicy = z.infer<typeof hostPolicy>
export type HostPolicyInput = z.input<typeof hostPolicy>

/** The schema of a partial host policy. It adds no defaults. */
export const givenHostPolicy = asGiven(hostPolicy)

/** Merges two host policies field by field, but replaces `hours` as a whole. The result of two valid policies is always valid.
 *  */
export function hostPolicyOver(base: HostPolicy, over: HostPolicyInput): HostPolicy {
  const names = Object.keys(hostPolicy.shape) as Array<keyof HostPolicy>
  const known = Object.fromEntries(names.map(name => [name, base[name]])) as HostPolicyInput
  return hostPolicy.parse({
    ...laidOver(known, over),
    actionDelayMs: delayOver(base.actionDelayMs, over.actionDelayMs),
  })
}

/** Merges the action delay. If only `min` or only `max` is given, the other value is adjusted so that min ≤ max. */
function delayOver(
  base: HostPolicy['actionDelayMs'],
  { min, max }: NonNullable<HostPolicyInput['actionDelayMs']> = {},
): HostPolicy['actionDelayMs'] {
  const least = min ?? Math.min(base.min, max ?? base.min)
  return { min: least, max: max ?? Math.max(base.max, least) }
}

export const jobBreaker = z.strictObject({
  consecutive: z.int().min(1).default(20),
  /** The breaker opens at this share of failures among the last `window` tasks. Before `minimum` tasks have ended, it
   *  stays closed. */
  ratio: z.number().gt(0).max(1).default(0.5),
  window: z.int().min(1).max(10_000).default(100),
  minimum: z.int().min(1).default(20),
  cooldownMs: milliseconds(300_000),
})
export type JobBreakerPolicy = z.infer<typeof jobBreaker>

/** Pauses a job if more than this share of its recent tasks ended at walls. */
export const wasteGuard = z.strictObject({
  window: z.int().min(10).max(10_000).default(100),
  /** 1 disables the guard. */
  share: z.number().gt(0).max(1).default(0.5),
})
export type WasteGuardPolicy = z.infer<typeof wasteGuard>

/** Limits of a job, as totals since its creation. A job that reaches a limit stops with the reason `limit.…`, and the owner
 *  can raise the limit. */
export const limits = z.strictObject({
  /** Pages that succeeded. */
  pages: z.int().min(1).max(1_000_000_000).optional(),
  /** Bytes on the wire, including failed attempts. */
  bytes: z.int().min(1).max(1_000_000_000_000_000).optional(),
  browserSeconds: z.number().positive().max(1_000_000_000).optional(),
  money: z.number().positive().max(1_000_000_000).optional(),
})
export type Limits = z.infer<typeof limits>
export const limitNames = ['pages', 'bytes', 'browserSeconds', 'money'] as const
export type LimitName = (typeof limitNames)[number]

/** Prices of traffic and browsers, in the currency of `limits.money`. */
export const prices = z.strictObject({
  perGb: z.number().min(0).max(1_000_000).default(0),
  perBrowserHour: z.number().min(0).max(1_000_000).default(0),
})
export type Prices = z.infer<typeof prices>

/** The policy of a job. Missing host settings come from the domain's policy. */
export const executionPolicy = z.strictObject({
  throttle: z
    .strictObject({ rate: rate.default('unlimited'), burst: z.int().min(1).default(1) })
    .prefault({}),
  timeouts: taskTimeouts.prefault({}),
  retries: retries.prefault({}),
  /** Timeout for a host that never responded in this job. Then its tasks fail with `host.unreachable`. */
  patienceMs: milliseconds(120_000),
  /** Timeout for a host that has responded in this job. Until the timeout, the host is paused and probed. Then its
   *  tasks fail with `host.unreachable`. */
  outageMs: milliseconds(3_600_000),
  /** For jobs whose caller waits: a task that cannot start within this time fails at once, with the reason. 0 means no limit. */
  answerWithinMs: milliseconds(0),
  breaker: jobBreaker.prefault({}),
  robots: z.enum(['obey', 'ignore']).optional(),
  /** Overrides of the per-host policy, for every host of the job. */
  host: z
    .strictObject({
      rate: rate.optional(),
      burst: z.int().min(1).optional(),
      concurrency: z.int().min(1).max(1_000).optional(),
    })
    .prefault({}),
  /** When the job may run, besides the hours of each host. */
  hours: allowedHours.optional(),
  maxBytes: maxBytes.default(20_971_520),
  /** Size limit of one record as JSON. The limit for all records of a task is ten times as high. */
  maxRecordBytes: z.int().min(1_024).max(268_435_456).default(16_777_216),
  /** `keep`: a page with an HTTP error status gives a record with that status. Temporary errors are retried first. */
  errorPages: z.enum(['fail', 'keep']).default('fail'),
  browser: browserPolicy.prefault({}),
  blocks: blockHandling.extend({ wasteGuard: wasteGuard.prefault({}) }).prefault({}),
  limits: limits.prefault({}),
  prices: prices.prefault({}),
  proxy: proxyPolicy.prefault({}),
  identity: identityPolicy.prefault({}),
  /** Whether pages use a browser; the job's `render` wins. */
  render: z.enum(renderModes).optional(),
})
export type ExecutionPolicy = z.infer<typeof executionPolicy>
/** The part of the policy that can differ per task. */
export interface TaskOverrides extends Pick<ExecutionPolicy, 'timeouts' | 'retries' | 'blocks' | 'maxBytes'> {
  /** The optional fields are set only if they differ from the job's. There is no field for the proxy, because the
   *  task's identity determines it. */
  browser?: ExecutionPolicy['browser']
  identity?: ExecutionPolicy['identity']
  render?: RenderMode | undefined
  rendering?: Rendering
}
export type PolicyInput = z.input<typeof executionPolicy>

/** The schema of a partial policy, which is one policy layer. It adds no defaults. */
export const givenPolicy = asGiven(executionPolicy)
