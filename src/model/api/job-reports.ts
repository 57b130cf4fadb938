// Response schemas of the reports on a job: timeline, conduct, policy, exchanges, raw exports.
import * as z from 'zod'
import { consents } from '../conduct.ts'
import { limits } from '../policy/policy.ts'
import { policyOrigins } from '../policy/policy-layers.ts'

const time = z.string().describe('ISO 8601, in UTC.')

export const jobTimeline = z.object({
  jobId: z.string(),
  from: z.string().nullable().describe('Start of the first step; null if no attempt has ended.'),
  stepMs: z.int(),
  tasks: z.int().describe('All tasks.'),
  steps: z.array(
    z.object({
      at: z.string(),
      byReason: z.record(z.string(), z.number()).describe('Number of attempts by outcome.'),
    }),
  ),
})

export type JobTimeline = z.infer<typeof jobTimeline>

/** The conduct receipt of a job. */
export const jobConduct = z.object({
  jobId: z.string(),
  userAgent: z.string().nullable().describe('The user agent that the job sent.'),
  robots: z.object({
    policy: z
      .enum(['obey', 'ignore'])
      .nullable()
      .describe('The robots.txt setting of the job. Null if the policy of each host decides.'),
    disallowed: z.int().describe('Pages that were skipped because of robots.txt.'),
    unreachable: z.int(),
    files: z.array(
      z.object({
        origin: z.string(),
        verdict: z.string(),
        fetchedAt: time.describe('When the file was fetched, ISO 8601.'),
      }),
    ),
  }),
  browser: z.object({ mode: z.string(), stealth: z.boolean(), pages: z.int() }),
  personalData: z.enum(['keep', 'mask', 'drop']),
  consents: z
    .array(z.object({ what: z.enum(consents), value: z.string(), who: z.string(), at: time }))
    .describe('Consents beyond the polite defaults, with the key that gave them and the time.'),
  denied: z.int().describe('Number of tasks that ended because their host is on the do-not-crawl list.'),
  throttled: z.int(),
  hosts: z.array(
    z.object({
      host: z.string(),
      requests: z
        .int()
        .describe(
          'Number of requests, counting only the first request of each task. Later requests of pages and scrapers do not count.',
        ),
      firstAt: time.describe('When the first request started, ISO 8601.'),
      lastAt: time.describe('When the last request started, ISO 8601.'),
      achievedRate: z.number().nullable().describe('Average per second, from the first request to the last.'),
    }),
  ),
  moreHosts: z.boolean(),
})

export type JobConduct = z.infer<typeof jobConduct>

const header = z.object({ name: z.string(), value: z.string() })

export const exchanges = z.object({
  taskId: z.string(),
  exchanges: z
    .array(
      z.object({
        method: z.string(),
        url: z.string(),
        finalUrl: z.string(),
        httpStatus: z.int(),
        httpVersion: z.string(),
        remoteAddress: z.string().nullable(),
        startedAt: z.string(),
        endedAt: z.string(),
        wireBytes: z.int(),
        bodyBytes: z.int(),
        hops: z.array(z.object({ from: z.string(), to: z.string(), status: z.int() })),
        requestHeaders: z
          .array(header)
          .describe(
            'Headers of the last request, after redirects, without `host` and `connection`. Secret values are removed.',
          ),
        responseHeaders: z.array(header),
      }),
    )
    .describe(
      'The requests and their responses, in the order of the requests. The last exchange is that of the page.',
    ),
})

/** A request and its response, without bodies. */
export type Exchange = z.infer<typeof exchanges>['exchanges'][number]

const spentShown = z
  .object({ pages: z.number(), bytes: z.number(), browserSeconds: z.number(), money: z.number() })
  .describe('Total of all runs. Money uses the prices of the policy.')

export const jobPolicy = z.object({
  jobId: z.string(),
  values: z.array(
    z.object({
      path: z.string().describe('Path of the field in a job, like `retries.attempts`.'),
      value: z.unknown(),
      from: z
        .enum(policyOrigins)
        .describe('Where the value comes from; `ceiling` is the limit of the operator.'),
    }),
  ),
  limits,
  spent: spentShown,
})

const { pages, bytes, browserSeconds, money } = limits.shape
export const raisedLimits = z
  .strictObject({
    pages: pages.unwrap().nullable().optional(),
    bytes: bytes.unwrap().nullable().optional(),
    browserSeconds: browserSeconds.unwrap().nullable().optional(),
    money: money.unwrap().nullable().optional(),
  })
  .describe('New limits as totals, not as increments. null removes a limit; missing limits stay.')

export type JobPolicy = z.infer<typeof jobPolicy>
export type RaisedLimits = z.infer<typeof raisedLimits>

/** States of a raw export. `partial`: the job still runs, and the export contains the tasks that had ended when it was last
 *  written. `interrupted`: the writing process died. `failed`: `trouble` has the reason. A new request continues an interrupted
 *  or failed export. */
export const rawExportStates = ['none', 'running', 'partial', 'complete', 'interrupted', 'failed'] as const

export const rawExport = z.object({
  jobId: z.string(),
  state: z
    .enum(rawExportStates)
    .describe(
      '`partial`: the job still runs, and the export contains the tasks that had ended when it was last written. `interrupted` and `failed`: the next POST continues the export.',
    ),
  rows: z.int(),
  bytes: z.int(),
  updatedAt: z.string().nullable(),
  trouble: z.string().nullable().describe('Why the last run failed.'),
  prefix: z.string().describe('The key prefix of the files in the storage of the service.'),
})

export const rawExportFiles = z.object({
  files: z.array(
    z.object({
      path: z.string().describe('`domain=…/date=YYYY-MM-DD/part-….parquet`, below the prefix.'),
      bytes: z.int(),
      url: z.string(),
    }),
  ),
  nextCursor: z.string().nullable(),
})

/** Raw pages as Parquet in the storage of the service. */
export type RawExport = z.infer<typeof rawExport>
export type RawExportFile = z.infer<typeof rawExportFiles>['files'][number]
