// MCP tools that fetch pages: one page as text, one page as fields, the URLs of a site.

import type { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js'
import * as z from 'zod'
import { maxPrompt } from '../../../model/extraction-rules.ts'
import { Failure } from '../../../model/failures.ts'
import type { Job } from '../../../model/job.ts'
import type { RecordData } from '../../../model/record.ts'
import { listedUrls } from '../../../pipeline/report/listed-urls.ts'
import { rulesOfSchema } from '../../../pipeline/work/schema-fields.ts'
import { propertiesOf } from '../../../pipeline/work/schema-shape.ts'
import { cursorOf, placeIn } from '../../cursors.ts'
import { answeredWithin } from '../../task-failure.ts'
import { jobOf, longestWaitMs, pageOf, readable, startJob, type ToolContext, waitFor } from './jobs.ts'
import { fitting, nextCursor, type TextPlace, textPart, textPlace } from './paging.ts'
import { answered, chars, cursor, needed, reads, type Told, url } from './told.ts'

export function addScrape(mcp: McpServer, context: ToolContext, usualChars: number): void {
  mcp.registerTool(
    'scrape',
    {
      description:
        'Returns one page as markdown. Fetched politely (robots.txt, rate limits), in a browser if the page needs one.',
      annotations: reads,
      inputSchema: {
        url: url.optional().describe('Leave it out if you pass a cursor.'),
        only_main_content: z.boolean().default(true).describe('Without menus, footers and the like.'),
        max_age_s: z
          .int()
          .min(0)
          .max(31_536_000)
          .default(0)
          .describe('A cached page of at most this age in seconds may be used.'),
        max_chars: chars(usualChars),
        cursor,
      },
    },
    asked =>
      answered(async () => {
        const where = asked.cursor ? textPlace(asked.cursor) : await scraped(context, asked)
        return pagePart(context, where, asked.max_chars)
      }),
  )
}

async function scraped(
  context: ToolContext,
  asked: { url?: string | undefined; only_main_content: boolean; max_age_s: number },
): Promise<TextPlace> {
  const spec = {
    urls: [needed(asked.url)],
    ...{ query: 'keep' as const, render: 'auto' as const, policy: answeredWithin(longestWaitMs) },
    ...(asked.max_age_s > 0 && { maxAgeMs: asked.max_age_s * 1_000 }),
  }
  const job = await waitFor(context, await startJob(context, spec, { pages: 1 }), longestWaitMs)
  return { job: job.id, n: 1, from: 0, main: asked.only_main_content }
}

async function pagePart(context: ToolContext, where: TextPlace, most: number): Promise<Told> {
  const job = await jobOf(context, where.job)
  const page = await pageOf(context, job, { wants: ['texts'], onlyMainContent: where.main }, where.n)
  const { text, hidden } = readable(page, job)
  const { part, next } = textPart(text, where.from, most)
  return {
    facts: {
      ...{ url: page.record.url, finalUrl: page.record.finalUrl, httpStatus: page.record.status },
      ...{ jobId: job.id, chars: text.length, nextCursor: nextCursor(where, next) },
      pagesLeft: context.budget.left,
    },
    text: part,
    // Hidden text goes only with the first part.
    ...(where.from === 0 && { hidden }),
  }
}

export function addMap(mcp: McpServer, context: ToolContext, usualChars: number): void {
  mcp.registerTool(
    'map',
    {
      description:
        'Lists the URLs of a site, from its sitemaps and the links of its first page, without fetching them.',
      annotations: reads,
      inputSchema: {
        url: url.optional().describe('Leave it out if you pass a cursor.'),
        limit: z.int().min(1).max(10_000).default(200),
        subdomains: z.boolean().default(false),
        max_chars: chars(usualChars),
        cursor,
      },
    },
    asked =>
      answered(async () => {
        const at = placeIn(asked.cursor, z.strictObject({ job: z.string(), from: z.int().min(0) }))
        const job = at ? await jobOf(context, at.job) : await mapped(context, asked)
        return urlPart(context, job, at?.from ?? 0, asked.max_chars)
      }),
  )
}

async function mapped(
  context: ToolContext,
  asked: { url?: string | undefined; limit: number; subdomains: boolean },
): Promise<Job> {
  const seedUrls = [needed(asked.url)]
  const spec = {
    seedUrls,
    depth: 1,
    maxPages: asked.limit,
    subdomains: asked.subdomains,
    results: { raw: 'none' as const },
  }
  // Fetches only sitemaps and one page.
  return waitFor(context, await startJob(context, spec, { pages: 1, map: true }), longestWaitMs)
}

async function urlPart({ server }: ToolContext, job: Job, from: number, most: number): Promise<Told> {
  const urls: string[] = []
  for await (const some of listedUrls(server.parts.store, job)) urls.push(...some)
  const part = fitting(urls.slice(from), line => `${line}\n`, most)
  const next = from + part.length
  const isMore = next < urls.length
  return {
    facts: {
      jobId: job.id,
      urls: urls.length,
      nextCursor: isMore ? cursorOf({ job: job.id, from: next }) : null,
    },
    text: part.join('\n'),
  }
}

export function addExtract(mcp: McpServer, context: ToolContext): void {
  mcp.registerTool(
    'extract',
    {
      description:
        'Returns fields of a page as JSON: by selectors (fields), or by the property names of a JSON Schema, looked up in the structured data of the page.',
      annotations: reads,
      inputSchema: {
        url,
        fields: z
          .record(z.string(), z.unknown())
          .optional()
          .describe('Extraction rules: {"title": "h1", "price": {"css": ".price", "as": "money"}}.'),
        each: z
          .string()
          .max(10_000)
          .optional()
          .describe('A selector: each match becomes one record with the fields.'),
        schema: z
          .record(z.string(), z.unknown())
          .optional()
          .describe(
            'A JSON Schema with properties. A model, if one is configured, reads their descriptions.',
          ),
        prompt: z
          .string()
          .max(maxPrompt)
          .optional()
          .describe('With schema: what you want, for the model. Refused if no model is configured.'),
      },
    },
    asked => answered(() => extracted(context, asked)),
  )
}

interface Extraction {
  url: string
  fields?: Record<string, unknown> | undefined
  each?: string | undefined
  schema?: Record<string, unknown> | undefined
  prompt?: string | undefined
}

async function extracted(
  context: ToolContext,
  { url: page, fields, each, schema, prompt }: Extraction,
): Promise<Told> {
  if ((fields === undefined) === (schema === undefined))
    throw new Failure('input.invalid', 'fields: give either fields or schema', { path: 'fields' })
  const hasModel = context.server.settings.llmBaseUrl !== undefined
  if (prompt !== undefined && !(hasModel && schema))
    throw new Failure(
      'input.invalid',
      'prompt: only a model reads it; give a schema, and set SCRAPER_LLM_BASE_URL on the service',
      { path: 'prompt' },
    )
  const modelled = schema && hasModel ? rulesOfSchema(schema, prompt) : null
  const extract = modelled ?? (fields && { fields, ...(each !== undefined && { each }) })
  const spec = {
    urls: [page],
    ...{ query: 'keep' as const, render: 'auto' as const, policy: answeredWithin(longestWaitMs) },
    ...(extract && { extract }),
    ...(modelled && { llm: 'fallback' as const }),
  }
  const started = await startJob(context, spec as Parameters<typeof startJob>[1], { pages: 1 })
  const job = await waitFor(context, started, longestWaitMs)
  const schemas = schema ? [schema] : []
  const { document, record, data } = await pageOf(context, job, { wants: [], schemas })
  const found = schema
    ? [withModel(document?.fields[0] ?? missing(schema), modelled ? data : {})]
    : (await context.server.parts.store.records.ofTask(job.id, 1)).map(
        ({ data }) => JSON.parse(data) as unknown,
      )
  return {
    facts: {
      jobId: job.id,
      url: record.url,
      finalUrl: record.finalUrl,
      records: found.length,
      pagesLeft: context.budget.left,
    },
    text: JSON.stringify(found, null, 2),
  }
}

/** Values of the rules and the model win. */
const withModel = (named: RecordData, found: RecordData): RecordData =>
  Object.fromEntries(Object.keys(named).map(name => [name, found[name] ?? named[name] ?? null]))

const missing = (schema: Record<string, unknown>) =>
  Object.fromEntries(Object.keys(propertiesOf(schema)).map(name => [name, null]))
