// Request and response schemas of the jobs API, and the types that clients infer from them.

import * as z from 'zod'
import { id } from '../ids.ts'
import { faces, givenSpec, jobStates, outputFormats } from '../job.ts'
import { paceReasons } from '../policy/pace.ts'
import { browserKinds, renderModes } from '../policy/rendering.ts'
import { jobRetention } from '../policy/retention.ts'
import type { TaskState } from '../task.ts'

export const jobParams = z.object({ jobId: id })
export const itemParams = z.object({ jobId: id, itemId: id })

/** Only a file name: callers cannot choose a path on the server. `GET /jobs/{job_id}/outputs/{path}` returns the file. */
const servedOutput = z.strictObject({
  path: id.describe('A file name.'),
  format: z.enum(outputFormats),
})

/** The parts of a job spec that API callers may set. Fields that make the server read a file from its disk are left out. */
export const jobBody = givenSpec
  .omit({ cookiesFile: true })
  .extend({ output: z.array(servedOutput).max(20).default([]) })
  .meta({
    examples: [
      { urls: ['https://example.com/'] },
      { seed_urls: ['https://example.com/'], depth: 2, allowed_domains: ['example.com'], render: false },
      {
        job_id: 'test-001',
        scraper_id: 'example-http',
        items: [
          { item_id: 'item-1', input: { test_param: 'hello' } },
          { item_id: 'item-2', input: { test_param: 'world' } },
        ],
      },
    ],
  })

const counted = z.record(z.string(), z.int())
const time = z.string().describe('ISO 8601, in UTC.')

const jobLinks = z.object({
  self: z.string(),
  status: z.string(),
  results: z.string(),
  items: z.string(),
  events: z.string(),
})

export const jobSummary = z.object({
  jobId: z.string(),
  status: z.enum(jobStates),
  reason: z.string().nullable().describe('Why the job is paused, or how it ended.'),
  kind: z.enum(['crawl', 'list', 'map']),
  face: z.enum(faces),
  scraperId: z.string(),
  scheduleId: z.string().nullable(),
  traceId: z.string().nullable().describe('Trace id of the job; its log lines have it too.'),
  labels: z.record(z.string(), z.string()),
  createdAt: time,
  startedAt: time.nullable(),
  finishedAt: time.nullable(),
  resumeAt: time.nullable().describe('When a paused job resumes automatically.'),
  links: jobLinks,
})

const jobCountsShown = z.object({
  tasks: z.int(),
  pages: z.int(),
  records: z.int(),
  bytes: z.int(),
  rendered: z.int().describe('Pages loaded in a browser.'),
  exactlyParsed: z.int().describe('Pages parsed by the slower, exact parser.'),
  llmTokens: z.int(),
  byState: counted as z.ZodType<Record<TaskState, number>>,
  byReason: counted,
  linksRefused: counted,
  warnings: counted.describe('Number of records and sitemaps with each warning code.'),
})

const jobSource = z.object({
  kind: z.enum(['seed_urls', 'urls', 'items', 'sitemap_url', 'upload_id', 'file']),
  count: z.int().describe('Number of URLs, items or files that the job started with.'),
  first: z.array(z.string()).describe('The first of these URLs, items or files.'),
})

const jobWaiting = z.array(
  z.object({
    reason: z.string(),
    hosts: z.int(),
    tasks: z.int(),
    nextAt: time.nullable(),
    exampleHost: z.string(),
    why: z.string().describe('What the tasks wait for, to complete the sentence "waits for …".'),
  }),
)

const jobAsked = z.object({
  source: jobSource,
  userAgent: z.string().nullable(),
  robots: z.enum(['obey', 'ignore']),
  render: z.enum(renderModes),
  browser: z.enum(browserKinds),
  maxPages: z.int().nullable(),
  llm: z.enum(['off', 'fallback', 'propose-rules']),
  llmTokens: z.int().describe('Maximum number of language model tokens that the job may use.'),
  outputs: z.array(z.object({ path: z.string(), format: z.enum(outputFormats), done: z.boolean() })),
  retention: jobRetention.nullable().describe('Retention of the job, if it has its own.'),
})

export const jobStatus = jobSummary.extend({
  counts: jobCountsShown,
  asked: jobAsked.describe('Summary of the source.'),
  progress: z.object({
    done: z.int(),
    total: z.int(),
    inFlight: z.int(),
    isTotalKnown: z
      .boolean()
      .describe('False while the source is read, and for crawls, which can find more pages.'),
  }),
  rates: z.object({
    tasksPerSecond: z.number().describe('Average of the last minute.'),
    averageTasksPerSecond: z.number().nullable().describe('Average since the job started.'),
  }),
  hosts: z.object({
    active: z.int(),
    busiest: z
      .array(
        z.object({
          host: z.string(),
          byState: counted,
          trouble: z.array(z.string()).describe('Why the rate of this host is limited.'),
        }),
      )
      .nullable(),
  }),
  waiting: jobWaiting,
  retries: z.object({ tasks: z.int(), nextAt: time.nullable() }),
  pace: z
    .object({
      perSecond: z.number().nullable().describe('Total of all hosts with work; null without a limit.'),
      reason: z.enum(paceReasons).describe('What limits the rate.'),
      why: z.string().describe('The limit as text.'),
      slowestHost: z.string(),
      pages: z.int().describe('Known tasks at the slowest host.'),
      secondsLeft: z.int().describe('How long the known work takes at the slowest host.'),
    })
    .nullable()
    .describe('The highest possible rate and what limits it; null when no task waits.'),
  estimate: z.object({
    seconds: z.int().nullable(),
    why: z.string().describe('How the estimate was made, or why there is none.'),
  }),
  ingest: z.object({
    done: z.boolean(),
    rows: z.int(),
    blank: z.int(),
    rejected: z.int(),
    duplicates: z.int(),
  }),
})

export const listedJob = jobSummary.extend({
  counts: jobCountsShown
    .optional()
    .describe('Number of tasks, pages and records. Present only with `counts=true`.'),
  live: z
    .object({
      source: jobSource,
      tasksPerSecond: z.number().describe('Average of the last minute.'),
      inFlight: z.int(),
      waiting: jobWaiting,
    })
    .optional()
    .describe('The current state of the job. Present only with `live=true`.'),
})

export const createdJob = jobSummary
  .extend({ warnings: z.array(z.string()).describe('Warnings about options that are ignored.') })
  .describe('The job is accepted and durable.')

export type JobSummary = z.infer<typeof listedJob>
export type JobLive = NonNullable<JobSummary['live']>
export type CreatedJob = z.infer<typeof createdJob>
export type JobStatus = z.infer<typeof jobStatus>
export type JobCountsShown = z.infer<typeof jobCountsShown>
/** The sources of a job's tasks: how many there are, and the first one. */
export type JobSource = z.infer<typeof jobSource>
export type JobWaiting = z.infer<typeof jobWaiting>[number]
/** Summary of the job's source. */
export type JobAsked = z.infer<typeof jobAsked>
