// Tools for jobs: start a crawl, read its status and its results, and search the records of all jobs.

import type { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js'
import * as z from 'zod'
import { defined } from '../../../lib/defined.ts'
import { parseFilter } from '../../../lib/text/field-filters.ts'
import { hasEnded, type Job } from '../../../model/job.ts'
import { resultsAfter } from '../../../pipeline/report/job-results.ts'
import { failedItem, recordItem } from '../../../pipeline/report/result-items.ts'
import { cursorOf, placeIn } from '../../http/cursors.ts'
import { jobOf, startJob, type ToolContext, waitFor } from './jobs.ts'
import { fitting } from './paging.ts'
import { addTool, chars, cursor, cut, looks, outputs, type ToolResult, url } from './tool.ts'

const statusOutput = {
  job_id: outputs.jobId,
  status: z.string(),
  reason: z.string().nullable().describe('Why the job is paused, or how it ended.'),
  is_done: z.boolean(),
  counts: z.object({
    tasks: z.int(),
    pages: z.int(),
    records: z.int(),
    failed: z.int(),
    skipped: z.int(),
  }),
  pages_left: outputs.pagesLeft,
}

const wait = z
  .int()
  .min(0)
  .max(50)
  .default(0)
  .describe('Seconds to wait for the end of the job before the response.')

export function addCrawl(mcp: McpServer, context: ToolContext): void {
  addTool(
    mcp,
    'crawl',
    {
      title: 'Crawl a site',
      description: 'Starts a crawl of a site and returns its job. Call job_status, then job_results.',
      output: statusOutput,
      annotations: { readOnlyHint: false, openWorldHint: true, destructiveHint: false },
      input: {
        url,
        max_pages: z.int().min(1).max(100_000).default(20),
        depth: z.int().min(0).max(100).optional().describe('How many links away from the start URL.'),
        include: z
          .array(z.string().max(2_000))
          .max(100)
          .default([])
          .describe('Globs of URLs, like "**/blog/**".'),
        exclude: z.array(z.string().max(2_000)).max(100).default([]),
        wait_s: wait,
      },
    },
    async (asked, call) => {
      const { url: seed, max_pages: maxPages, depth, include, exclude } = asked
      const spec = { seedUrls: [seed], maxPages, depth, include, exclude, render: 'auto' as const }
      const job = await startJob(context, spec, { pages: maxPages })
      const waitMs = asked.wait_s * 1_000
      return statusOf(context, waitMs > 0 ? await waitFor(context, call, job, { waitMs, isOwn: true }) : job)
    },
  )
}

export async function statusOf(context: ToolContext, job: Job): Promise<ToolResult> {
  const { tasks, records, pages, byState } = await context.server.parts.store.jobs.counts(job.id)
  return {
    facts: {
      ...{ jobId: job.id, status: job.state, reason: job.reason, isDone: hasEnded(job.state) },
      counts: { tasks, pages, records, failed: byState.failed, skipped: byState.skipped },
      pagesLeft: context.budget.left,
    },
  }
}

export function addStatus(mcp: McpServer, context: ToolContext): void {
  addTool(
    mcp,
    'job_status',
    {
      title: 'Status of a job',
      description: 'Returns the status and the counts of a job.',
      output: statusOutput,
      annotations: looks,
      input: {
        job_id: z.string().max(128),
        wait_s: wait,
      },
    },
    async (asked, call) => {
      const job = await jobOf(context, asked.job_id)
      const waitMs = asked.wait_s * 1_000
      const isWaited = waitMs > 0 && !hasEnded(job.state)
      return statusOf(context, isWaited ? await waitFor(context, call, job, { waitMs, isOwn: false }) : job)
    },
  )
}

const resultPlace = z.strictObject({ record: z.int().min(0), failure: z.int().min(0) })
const resultsAtOnce = 50

export function addResults(mcp: McpServer, context: ToolContext, usualChars: number): void {
  addTool(
    mcp,
    'job_results',
    {
      title: 'Results of a job',
      description: 'Returns records and failures of a job in the order of their arrival, also while it runs.',
      output: {
        job_id: outputs.jobId,
        status: z.string(),
        items: z.int().describe('Records and failures in this part.'),
        next_cursor: outputs.nextCursor,
        text: outputs.text,
      },
      annotations: looks,
      input: { job_id: z.string().max(128), max_chars: chars(usualChars), cursor },
    },
    async asked => {
      const job = await jobOf(context, asked.job_id)
      const from = placeIn(asked.cursor, resultPlace) ?? { record: 0, failure: 0 }
      return resultPart(context, job, from, asked.max_chars)
    },
  )
}

export async function resultPart(
  { server }: ToolContext,
  job: Job,
  from: z.output<typeof resultPlace>,
  most: number,
): Promise<ToolResult> {
  const { store } = server.parts
  const { records, failed, isFull } = await resultsAfter(store, job.id, from, {
    limit: resultsAtOnce,
    wants: 'all',
  })
  const items = [
    ...records.map(record => ({
      place: { ...from, record: record.seq },
      item: cut(recordItem(record), most),
    })),
    ...failed.map(task => ({
      place: { record: records.at(-1)?.seq ?? from.record, failure: task.seq },
      item: cut(failedItem(task), most),
    })),
  ]
  const fit = fitting(items, ({ item }) => item, most)
  const isAll = fit.length === items.length && !isFull && hasEnded(job.state)
  return {
    facts: {
      ...{ jobId: job.id, status: job.state, items: fit.length },
      nextCursor: isAll ? null : cursorOf(fit.at(-1)?.place ?? from),
    },
    text: fit.map(({ item }) => item).join('\n'),
  }
}

export function addSearch(mcp: McpServer, context: ToolContext, usualChars: number): void {
  addTool(
    mcp,
    'search_records',
    {
      title: 'Search records',
      description: 'Finds records of all jobs of the workspace by words and fields, newest first.',
      output: {
        records: z.int().describe('Records in this part.'),
        next_cursor: outputs.nextCursor,
        text: outputs.text,
      },
      annotations: looks,
      input: {
        text: z.string().max(1_000).optional().describe('Words that must all occur.'),
        filters: z
          .array(z.string().max(1_000))
          .max(20)
          .default([])
          .describe('Like "price<50", "title~lamp", "!sku".'),
        host: z.string().max(300).optional(),
        job_id: z.string().max(128).optional(),
        limit: z.int().min(1).max(100).default(10),
        max_chars: chars(usualChars),
        cursor,
      },
    },
    asked => searched(context, asked),
  )
}

interface Search {
  text?: string | undefined
  filters: string[]
  host?: string | undefined
  job_id?: string | undefined
  limit: number
  max_chars: number
  cursor?: string | undefined
}

async function searched({ server, caller }: ToolContext, asked: Search): Promise<ToolResult> {
  const { text, host, job_id: jobId, limit, max_chars: most } = asked
  const before = placeIn(asked.cursor, z.int().min(1))
  const records = await server.parts.store.search.query({
    ...{ workspace: caller.workspace, limit, filters: asked.filters.map(parseFilter) },
    ...defined({ text, host: host?.toLowerCase(), jobId, before }),
  })
  const lines = records.map(record => ({
    seq: record.seq,
    line: cut({ jobId: record.jobId, ...recordItem(record) }, most),
  }))
  const fit = fitting(lines, ({ line }) => line, most)
  const isMore = fit.length < lines.length || lines.length === limit
  return {
    facts: { records: fit.length, nextCursor: isMore ? cursorOf(fit.at(-1)!.seq) : null },
    text: fit.map(({ line }) => line).join('\n'),
  }
}
