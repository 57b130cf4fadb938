// MCP tools for jobs: start a crawl, get its status and results, search records of all jobs.
import type { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js'
import * as z from 'zod'
import { parseFilter } from '../../../lib/text/field-filters.ts'
import { hasEnded, type Job } from '../../../model/job.ts'
import { resultsAfter } from '../../../pipeline/report/job-results.ts'
import { failedItem, recordItem } from '../../../pipeline/report/result-items.ts'
import { cursorOf, placeIn } from '../../cursors.ts'
import { jobOf, startJob, type ToolContext, waitFor } from './jobs.ts'
import { fitting } from './paging.ts'
import { answered, chars, cursor, cut, looks, type Told, url } from './told.ts'

export function addCrawl(mcp: McpServer, context: ToolContext): void {
  mcp.registerTool(
    'crawl',
    {
      description: 'Starts a crawl of a site and returns its job. Call job_status, then job_results.',
      annotations: { readOnlyHint: false, openWorldHint: true, destructiveHint: false },
      inputSchema: {
        url,
        max_pages: z.int().min(1).max(100_000).default(20),
        depth: z.int().min(0).max(100).optional().describe('Most links between the start and a page.'),
        include: z
          .array(z.string().max(2_000))
          .max(100)
          .default([])
          .describe('Globs of URLs, like "**/blog/**".'),
        exclude: z.array(z.string().max(2_000)).max(100).default([]),
        wait_s: z.int().min(0).max(50).default(0).describe('How long to wait for the end of the job.'),
      },
    },
    asked =>
      answered(async () => {
        const { url: seed, max_pages: maxPages, depth, include, exclude } = asked
        const spec = { seedUrls: [seed], maxPages, depth, include, exclude, render: 'auto' as const }
        const job = await startJob(context, spec, { pages: maxPages })
        return statusOf(context, asked.wait_s > 0 ? await waitFor(context, job, asked.wait_s * 1_000) : job)
      }),
  )
}

async function statusOf(context: ToolContext, job: Job): Promise<Told> {
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
  mcp.registerTool(
    'job_status',
    {
      description: 'Returns the status of a job.',
      annotations: looks,
      inputSchema: {
        job_id: z.string().max(128),
        wait_s: z.int().min(0).max(50).default(0).describe('How long to wait for the end of the job.'),
      },
    },
    asked =>
      answered(async () => {
        const job = await jobOf(context, asked.job_id)
        const isWaited = asked.wait_s > 0 && !hasEnded(job.state)
        return statusOf(context, isWaited ? await waitFor(context, job, asked.wait_s * 1_000) : job)
      }),
  )
}

const resultPlace = z.strictObject({ record: z.int().min(0), failure: z.int().min(0) })
const resultsAtOnce = 50

export function addResults(mcp: McpServer, context: ToolContext, usualChars: number): void {
  mcp.registerTool(
    'job_results',
    {
      description: 'Returns records and failures of a job in order of arrival, also while it runs.',
      annotations: looks,
      inputSchema: { job_id: z.string().max(128), max_chars: chars(usualChars), cursor },
    },
    asked =>
      answered(async () => {
        const job = await jobOf(context, asked.job_id)
        const from = placeIn(asked.cursor, resultPlace) ?? { record: 0, failure: 0 }
        return resultPart(context, job, from, asked.max_chars)
      }),
  )
}

async function resultPart(
  { server }: ToolContext,
  job: Job,
  from: z.output<typeof resultPlace>,
  most: number,
): Promise<Told> {
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
  mcp.registerTool(
    'search_records',
    {
      description: 'Searches the records of all jobs of the workspace by words and fields; newest first.',
      annotations: looks,
      inputSchema: {
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
    asked => answered(() => searched(context, asked)),
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

async function searched({ server, caller }: ToolContext, asked: Search): Promise<Told> {
  const { text, host, job_id: jobId, limit, max_chars: most } = asked
  const before = placeIn(asked.cursor, z.int().min(1))
  const records = await server.parts.store.search.query({
    ...{ workspace: caller.workspace, limit, filters: asked.filters.map(parseFilter) },
    ...(text !== undefined && { text }),
    ...(host !== undefined && { host: host.toLowerCase() }),
    ...(jobId !== undefined && { jobId }),
    ...(before !== undefined && { before }),
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
