// A short summary of a job's source. It helps to tell jobs apart and contains nothing secret.
import { basename } from 'node:path'
import type { Job } from '../../../model/job.ts'
import { renderModeOf } from '../../../model/policy/render-mode.ts'
import type { Server } from '../../parts.ts'

const shownNames = 3

export async function shownAsked({ parts }: Server, job: Job) {
  const { spec } = job
  return {
    source: sourceOf(job),
    userAgent: spec.userAgent ?? null,
    robots: spec.policy.robots ?? 'obey',
    render: renderModeOf(spec),
    browser: spec.browser ?? 'plain',
    maxPages: spec.maxPages ?? null,
    llm: spec.llm ?? 'off',
    llmTokens: spec.llmTokens ?? 0,
    outputs: await outputsOf(parts, job),
    retention: spec.retention ?? null,
  }
}

export function sourceOf({ spec, ingest }: Job) {
  const { seedUrls, urls, items, sitemapUrl, uploadId } = spec
  if (uploadId !== undefined) return named('upload_id', [uploadId])
  // Only the file name, because the full path is private to the operator.
  if (ingest.source !== null) return named('file', [basename(ingest.source)])
  if (items) return { kind: 'items' as const, count: items.length, first: [] }
  if (seedUrls) return named('seed_urls', seedUrls)
  return urls ? named('urls', urls) : named('sitemap_url', sitemapUrl === undefined ? [] : [sitemapUrl])
}

const named = <Kind extends string>(kind: Kind, names: readonly string[]) => ({
  kind,
  count: names.length,
  first: names.slice(0, shownNames),
})

async function outputsOf({ store }: Server['parts'], { id, spec }: Job) {
  if (spec.output.length === 0) return []
  const done = (await store.outputs.list(id)).filter(output => output.done).map(({ path }) => path)
  return spec.output.map(({ path, format }) => ({ path: basename(path), format, done: done.includes(path) }))
}
