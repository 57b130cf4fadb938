// How work may be done: politeness, retries, time limits. One schema per part, defaults live here and nowhere else.
import * as z from 'zod'
import { browserPolicy } from './rendering.ts'

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
})
export type HostPolicy = z.infer<typeof hostPolicy>
export type HostPolicyInput = z.input<typeof hostPolicy>

/** One host's policy as someone wrote it: what it leaves out stays out. */
export const givenHostPolicy = asGiven(hostPolicy) as z.ZodType<HostPolicyInput, HostPolicyInput>

/** Field by field; hours as a whole. What passes `hostPolicy` by itself goes over any other policy. */
export function hostPolicyOver(base: HostPolicy, over: HostPolicyInput): HostPolicy {
  const names = Object.keys(hostPolicy.shape) as Array<keyof HostPolicy>
  const known = Object.fromEntries(names.map(name => [name, base[name]])) as HostPolicyInput
  return hostPolicy.parse({
    ...laidOver(known, over),
    ...(over.hours && { hours: over.hours }),
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

export const timeouts = z.strictObject({
  connectMs: milliseconds(10_000),
  headersMs: milliseconds(15_000),
  /** Longest silence while a body arrives. */
  idleMs: milliseconds(15_000),
  totalMs: milliseconds(60_000),
})
export type Timeouts = z.infer<typeof timeouts>

/** With the time that a scraper's own code may take for a task; waits for its turn at a host do not count. 0 is for ever. */
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

export const jobBreaker = z.strictObject({
  consecutive: z.int().min(1).default(20),
  /** Share of failures among the last `window` finished, judged from `minimum` on. */
  ratio: z.number().gt(0).max(1).default(0.5),
  window: z.int().min(1).max(10_000).default(100),
  minimum: z.int().min(1).default(20),
  cooldownMs: milliseconds(300_000),
})
export type JobBreakerPolicy = z.infer<typeof jobBreaker>

/** What a job may say about how its work is done. Absent host settings fall to the domain's policy. */
export const executionPolicy = z.strictObject({
  throttle: z
    .strictObject({ rate: rate.default('unlimited'), burst: z.int().min(1).default(1) })
    .prefault({}),
  timeouts: taskTimeouts.prefault({}),
  retries: retries.prefault({}),
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
  maxBytes: z.int().min(1_024).max(1_073_741_824).default(20_971_520),
  browser: browserPolicy.prefault({}),
  /** What is done when a site turns a task away (captcha, refusal). */
  blocks: z
    .strictObject({
      /** Further tries, each with another session or proxy; beside the retries of other failures. */
      retries: z.int().min(0).max(5).default(0),
    })
    .prefault({}),
})
export type ExecutionPolicy = z.infer<typeof executionPolicy>
export type PolicyInput = z.input<typeof executionPolicy>

/** A policy as someone wrote it: checked, but what it leaves out stays out, so that another can be laid beneath it. */
export const givenPolicy = asGiven(executionPolicy) as z.ZodType<PolicyInput, PolicyInput>

function asGiven(schema: z.core.$ZodType): z.core.$ZodType {
  if (schema instanceof z.ZodDefault || schema instanceof z.ZodPrefault)
    return z.optional(asGiven(schema.unwrap()))
  if (!(schema instanceof z.ZodObject)) return schema
  const fields = Object.entries(schema.shape as z.core.$ZodShape)
  return z.strictObject(Object.fromEntries(fields.map(([name, field]) => [name, asGiven(field)])))
}

/** Later ones win, field by field; what none of them says is the default. */
export const policyOf = (...given: PolicyInput[]): ExecutionPolicy =>
  executionPolicy.parse(given.reduce(laidOver, {}))

function laidOver<Fields extends object>(below: Fields, above: Fields): Fields {
  const merged = { ...below }
  for (const [name, value] of Object.entries(above) as Array<[keyof Fields, Fields[keyof Fields]]>) {
    const beneath = merged[name]
    if (isObject(value) && isObject(beneath)) merged[name] = laidOver(beneath, value)
    else if (value !== undefined) merged[name] = value
  }
  return merged
}

const isObject = (value: unknown): value is object => typeof value === 'object' && value !== null
