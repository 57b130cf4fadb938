// Execution policy: politeness, retries, timeouts, budgets. One schema per part; all defaults are here.
import * as z from 'zod'
import { asGiven, laidOver } from './given-policy.ts'
import { identityPolicy, proxyPolicy } from './proxy.ts'
import { browserPolicy, type Rendering, type RenderMode, rendering, renderModes } from './rendering.ts'

const milliseconds = (fallback: number) => z.int().min(0).max(86_400_000).default(fallback)

/** Requests per second to one host, or by one job; `unlimited` switches the bucket off. */
export const rate = z.union([z.number().positive().max(100_000), z.literal('unlimited')])
export type Rate = z.infer<typeof rate>

const clockTime = z.string().regex(/^([01]\d|2[0-3]):[0-5]\d$/, 'a time of day like "08:30"')
export const weekdays = ['mon', 'tue', 'wed', 'thu', 'fri', 'sat', 'sun'] as const

/** The hours in which a host may be requested. `from` after `to` spans midnight. */
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
  /** Factor of the rate after a 429. */
  factor: z.number().gt(0).lt(1).default(0.5),
  durationMs: milliseconds(60_000),
  /** Steps in which the full rate returns after `durationMs`. */
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
  /** Longest silence while a body arrives. */
  idleMs: milliseconds(15_000),
  totalMs: milliseconds(60_000),
})
export type Timeouts = z.infer<typeof timeouts>

/** Includes the time of a scraper's own code for a task, but not waits for slots. 0 means no limit. */
const taskTimeouts = timeouts.extend({ taskMs: milliseconds(300_000) })

export const retries = z.strictObject({
  /** Further attempts after the first one. */
  attempts: z.int().min(0).max(20).default(3),
  strategy: z.enum(['exponential', 'linear']).default('exponential'),
  baseMs: milliseconds(1_000),
  factor: z.number().min(1).max(10).default(2),
  capMs: milliseconds(60_000),
  /** Share of the wait that is random: 0.2 means ±20 %. */
  jitter: z.number().min(0).max(1).default(0.2),
})
export type Retries = z.infer<typeof retries>

/** What to do if a site blocks a task (captcha, refusal). */
const blockHandling = z.strictObject({
  /** Further attempts, each with another session or proxy, besides the retries of other failures. */
  retries: z.int().min(0).max(5).default(0),
})

/** Longest body; more is an error, not a cut. */
const maxBytes = z.int().min(1_024).max(1_073_741_824)

/** The policy of one task, or of every task at a domain: only the fields that differ. */
export const taskPolicy = z.strictObject({
  timeouts: asGiven(taskTimeouts).optional(),
  retries: asGiven(retries).optional(),
  blocks: asGiven(blockHandling).optional(),
  maxBytes: maxBytes.optional(),
  browser: asGiven(browserPolicy).optional(),
  /** Choice among the configured proxies; own proxies belong to the job. */
  proxy: asGiven(proxyPolicy.omit({ urls: true })).optional(),
  identity: asGiven(identityPolicy).optional(),
  /** Whether its pages use a browser. */
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
  /** Crawl-delay of robots.txt is honoured up to this. */
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

/** A partial host policy as written. */
export const givenHostPolicy = asGiven(hostPolicy)

/** Merges field by field; hours as a whole. Every valid `hostPolicy` can be layered over another. */
export function hostPolicyOver(base: HostPolicy, over: HostPolicyInput): HostPolicy {
  const names = Object.keys(hostPolicy.shape) as Array<keyof HostPolicy>
  const known = Object.fromEntries(names.map(name => [name, base[name]])) as HostPolicyInput
  return hostPolicy.parse({
    ...laidOver(known, over),
    actionDelayMs: delayOver(base.actionDelayMs, over.actionDelayMs),
  })
}

/** If only one end is given, the other end adapts. */
function delayOver(
  base: HostPolicy['actionDelayMs'],
  { min, max }: NonNullable<HostPolicyInput['actionDelayMs']> = {},
): HostPolicy['actionDelayMs'] {
  const least = min ?? Math.min(base.min, max ?? base.min)
  return { min: least, max: max ?? Math.max(base.max, least) }
}

export const jobBreaker = z.strictObject({
  consecutive: z.int().min(1).default(20),
  /** Share of failures among the last `window` finished, judged from `minimum` on. */
  ratio: z.number().gt(0).max(1).default(0.5),
  window: z.int().min(1).max(10_000).default(100),
  minimum: z.int().min(1).default(20),
  cooldownMs: milliseconds(300_000),
})
export type JobBreakerPolicy = z.infer<typeof jobBreaker>

/** Pauses a job if more than this share of its recent tasks ended at walls. */
export const wasteGuard = z.strictObject({
  window: z.int().min(10).max(10_000).default(100),
  /** 1 disables it. */
  share: z.number().gt(0).max(1).default(0.5),
})
export type WasteGuardPolicy = z.infer<typeof wasteGuard>

/** The budget of a job over all runs. Reaching a limit stops the job with `limit.…`; the limit can be raised. */
export const limits = z.strictObject({
  /** Pages that succeeded. */
  pages: z.int().min(1).max(1_000_000_000).optional(),
  /** Bytes on the wire, with failed attempts. */
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
  /** Timeout of a host that never responded in this job; then its tasks fail as `host.unreachable`. */
  patienceMs: milliseconds(120_000),
  /** The same for a host that has responded before; until then it is paused and probed. */
  outageMs: milliseconds(3_600_000),
  /** A caller waits for the response: a task that cannot start within this time fails at once with the reason. 0 means no limit. */
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
  /** Largest record as JSON; all records of one task may have ten times as much. */
  maxRecordBytes: z.int().min(1_024).max(268_435_456).default(16_777_216),
  /** `keep`: a page with an error status gives a record with that status. A status that may pass is retried first. */
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
  /** Only if they differ from the job's. The proxy comes with the identity of the task. */
  browser?: ExecutionPolicy['browser']
  identity?: ExecutionPolicy['identity']
  render?: RenderMode | undefined
  rendering?: Rendering
}
export type PolicyInput = z.input<typeof executionPolicy>

/** A partial policy as written: validated, without defaults, to be layered. */
export const givenPolicy = asGiven(executionPolicy)

/** Later ones win, field by field; missing values get the default. */
export const policyOf = (...given: PolicyInput[]): ExecutionPolicy =>
  executionPolicy.parse(given.reduce(laidOver, {}))
