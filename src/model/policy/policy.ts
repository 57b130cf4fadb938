// How work may be done: politeness, retries, time limits, budgets. One schema per part, defaults live here and nowhere else.
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

/** The hours in which a host may be asked. `from` after `to` runs over midnight. */
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

export const slowdown = z.strictObject({
  /** What the rate is multiplied by when the host says 429. */
  factor: z.number().gt(0).lt(1).default(0.5),
  durationMs: milliseconds(60_000),
  /** Steps in which the full rate comes back after `durationMs`. */
  restoreSteps: z.int().min(1).max(100).default(4),
  maxRetryAfterMs: milliseconds(600_000),
})

export const hostBreaker = z.strictObject({
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

/** With the time that a scraper's own code may take for a task; waits for its turn at a host do not count. 0 is for ever. */
export const taskTimeouts = timeouts.extend({ taskMs: milliseconds(300_000) })

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

/** What is done when a site turns a task away (captcha, refusal). */
const blockHandling = z.strictObject({
  /** Further tries, each with another session or proxy; beside the retries of other failures. */
  retries: z.int().min(0).max(5).default(0),
})

/** Longest body that is read; more is an error, not a cut. */
const maxBytes = z.int().min(1_024).max(1_073_741_824)

/** What can be said for one task, or for every task at a domain: a part of the policy, and of it only what is to differ. */
export const taskPolicy = z.strictObject({
  timeouts: asGiven(taskTimeouts).optional(),
  retries: asGiven(retries).optional(),
  blocks: asGiven(blockHandling).optional(),
  maxBytes: maxBytes.optional(),
  browser: asGiven(browserPolicy).optional(),
  /** Which of those that there are; proxies of one's own are the job's to name. */
  proxy: asGiven(proxyPolicy.omit({ urls: true })).optional(),
  identity: asGiven(identityPolicy).optional(),
  /** Whether its pages go through a browser. */
  render: z.enum(renderModes).optional(),
})
export type TaskPolicy = z.infer<typeof taskPolicy>

/** What one item of a job can say beside that: what is asked of the browser for its page. */
export const itemPolicy = taskPolicy.extend({
  rendering: asGiven(
    rendering.pick({ waitFor: true, scroll: true, mobile: true, block: true, settleMs: true }),
  ).optional(),
})
export type ItemPolicy = z.infer<typeof itemPolicy>

/** How one host may be asked; an entry of `domain_policies.yaml`. */
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
  /** How tasks are done there; a scraper or a job that says otherwise wins. */
  ...taskPolicy.shape,
})
export type HostPolicy = z.infer<typeof hostPolicy>
export type HostPolicyInput = z.input<typeof hostPolicy>

/** One host's policy as someone wrote it: what it leaves out stays out. */
export const givenHostPolicy = asGiven(hostPolicy)

/** Field by field; hours as a whole. What passes `hostPolicy` by itself goes over any other policy. */
export function hostPolicyOver(base: HostPolicy, over: HostPolicyInput): HostPolicy {
  const names = Object.keys(hostPolicy.shape) as Array<keyof HostPolicy>
  const known = Object.fromEntries(names.map(name => [name, base[name]])) as HostPolicyInput
  return hostPolicy.parse({
    ...laidOver(known, over),
    actionDelayMs: delayOver(base.actionDelayMs, over.actionDelayMs),
  })
}

/** Where only one end is named, the other gives way. */
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

/** Pauses a job whose tasks mostly end at walls: more than this share of the last ones that ended. */
export const wasteGuard = z.strictObject({
  window: z.int().min(10).max(10_000).default(100),
  /** 1 switches it off: never is more than all of it. */
  share: z.number().gt(0).max(1).default(0.5),
})
export type WasteGuardPolicy = z.infer<typeof wasteGuard>

/** What a job may spend over all its runs. One that is reached stops it with `limit.…`; it can be given more. */
export const limits = z.strictObject({
  /** Pages that succeeded. */
  pages: z.int().min(1).max(1_000_000_000).optional(),
  /** As they came over the wire, those of failed attempts too. */
  bytes: z.int().min(1).max(1_000_000_000_000_000).optional(),
  browserSeconds: z.number().positive().max(1_000_000_000).optional(),
  money: z.number().positive().max(1_000_000_000).optional(),
})
export type Limits = z.infer<typeof limits>
export const limitNames = ['pages', 'bytes', 'browserSeconds', 'money'] as const
export type LimitName = (typeof limitNames)[number]

/** What traffic and browsers cost, in whatever currency `limits.money` is meant. */
export const prices = z.strictObject({
  perGb: z.number().min(0).max(1_000_000).default(0),
  perBrowserHour: z.number().min(0).max(1_000_000).default(0),
})
export type Prices = z.infer<typeof prices>

/** What a job may say about how its work is done. Absent host settings fall to the domain's policy. */
export const executionPolicy = z.strictObject({
  throttle: z
    .strictObject({ rate: rate.default('unlimited'), burst: z.int().min(1).default(1) })
    .prefault({}),
  timeouts: taskTimeouts.prefault({}),
  retries: retries.prefault({}),
  /** A host that never answered in this job gets this long; then its tasks fail as `host.unreachable`. */
  patienceMs: milliseconds(120_000),
  /** The same for a host that has answered before: until then it is paused and probed. */
  outageMs: milliseconds(3_600_000),
  /** Somebody waits for the answer: what cannot start within this fails at once with the reason. 0 waits for ever. */
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
  /** When the job works at all, beside the hours of each host. */
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
  /** Whether pages go through a browser; the job's own `render` wins over it. */
  render: z.enum(renderModes).optional(),
})
export type ExecutionPolicy = z.infer<typeof executionPolicy>
/** How one task is done: what can differ from task to task. */
export interface TaskOverrides extends Pick<ExecutionPolicy, 'timeouts' | 'retries' | 'blocks' | 'maxBytes'> {
  /** Only where they are not the job's. By which proxies comes with whoever does the task. */
  browser?: ExecutionPolicy['browser']
  identity?: ExecutionPolicy['identity']
  render?: RenderMode | undefined
  rendering?: Rendering
}
export type PolicyInput = z.input<typeof executionPolicy>

/** A policy as someone wrote it: checked, but what it leaves out stays out, so that another can be laid beneath it. */
export const givenPolicy = asGiven(executionPolicy)

/** Later ones win, field by field; what none of them says is the default. */
export const policyOf = (...given: PolicyInput[]): ExecutionPolicy =>
  executionPolicy.parse(given.reduce(laidOver, {}))
