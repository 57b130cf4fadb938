// Response schemas of the tasks and results of a job.
import * as z from 'zod'
import { jobStates } from '../job.ts'
import { taskStates } from '../task.ts'
import { look } from './previews.ts'

const time = z.string().describe('ISO 8601, in UTC.')

export const itemSummary = z.object({
  itemId: z.string(),
  taskId: z.string(),
  kind: z.enum(['page', 'sitemap']),
  url: z.string(),
  status: z.enum(taskStates),
  reason: z.string().nullable(),
  message: z.string().nullable(),
  attempts: z.int(),
  depth: z.int(),
})

const resultItem = z.object({
  itemId: z.string(),
  taskId: z.string(),
  url: z.string(),
  status: z.enum(['success', 'error']),
  finalUrl: z.string().optional(),
  httpStatus: z.int().optional(),
  fetchedAt: time.optional(),
  scraper: z.string().optional(),
  data: z.record(z.string(), z.unknown()).optional().describe('The record.'),
  input: z
    .record(z.string(), z.unknown())
    .optional()
    .describe('The input row of the record; absent for a plain URL.'),
  provenance: z
    .record(z.string(), z.unknown())
    .optional()
    .describe(
      'Source of each field, or the reason why the field is null. Present only with `provenance=true`.',
    ),
  warnings: z
    .array(z.object({ code: z.string(), message: z.string() }))
    .optional()
    .describe('Warnings about the record; absent if there are none.'),
  error: z.object({ code: z.string(), message: z.string().nullable(), attempts: z.int() }).optional(),
})

export const resultPage = z.object({
  jobId: z.string(),
  status: z.enum(jobStates),
  complete: z.boolean().describe('True if the job has ended and no more results follow.'),
  items: z.array(resultItem).describe('The results of tasks: records, and errors if `status` includes them.'),
  nextCursor: z
    .string()
    .nullable()
    .describe('Cursor of the next page. While the job runs, the last page has one too.'),
  metadata: z
    .record(z.string(), z.unknown())
    .optional()
    .describe('`job_metadata.json`, once the job has ended.'),
  parts: z.array(z.string()).optional().describe('Links to the parts of the manifest, 1,000 entries each.'),
})

export const manifestPage = z.object({
  jobId: z.string(),
  status: z.enum(jobStates),
  part: z.int(),
  parts: z.int(),
  items: z
    .array(z.record(z.string(), z.unknown()))
    .describe('Part of the manifest with up to 1,000 entries.'),
})

const attemptShown = z.object({
  attempt: z.int(),
  queuedAt: z.string().describe('When the task became ready for this attempt.'),
  startedAt: z.string(),
  endedAt: z.string().describe('When the response was complete, or the attempt failed.'),
  readAt: z.string().nullable().describe('When the page was parsed; null if nothing was parsed.'),
  storedAt: z.string().nullable().describe('When the attempt was committed.'),
  outcome: z.string(),
  message: z.string().nullable(),
  httpStatus: z.int().nullable(),
  bytes: z.int(),
  way: z.enum(['http', 'browser']),
})

export const itemShown = itemSummary.extend({
  input: z.unknown(),
  history: z.array(attemptShown),
  records: z.array(resultItem).describe('The records of the task, with the source of each field.'),
  artifacts: z.array(z.string()).describe('Files that can be downloaded.'),
})

export const rejectedRows = z.object({
  rows: z.array(z.object({ row: z.int(), text: z.string(), reason: z.string() })),
  nextCursor: z.string().nullable(),
})

const fieldPlace = z.object({
  field: z.string(),
  record: z.int().describe('Position of the record among the records of the page, from 0.'),
  node: z.int().describe('The element: its number in the attribute `data-kscrape-node` of the markup.'),
})

export const itemLook = look.extend({ fields: z.array(fieldPlace) })

export type ItemShown = z.infer<typeof itemShown>
export type ResultPageShown = z.infer<typeof resultPage>
export type ItemSummary = z.infer<typeof itemSummary>
export type ItemLook = z.infer<typeof itemLook>
export type RejectedRow = z.infer<typeof rejectedRows>['rows'][number]
