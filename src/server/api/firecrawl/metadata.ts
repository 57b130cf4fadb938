// Document metadata under Firecrawl's names: from the page's meta elements and from the response.
import { taskId } from '../../../model/ids.ts'
import type { Job } from '../../../model/job.ts'
import { headerOf } from '../../../model/page/page.ts'
import { isoTime } from '../../http/responses.ts'
import type { Source } from './source.ts'

/** Firecrawl's names for meta elements. The document also has each element under its original name. */
const named: ReadonlyArray<readonly [theirs: string, meta: string]> = [
  ...pairs('og', 'title description url image audio video determiner locale site_name locale:alternate'),
  ...[
    ['publishedTime', 'article:published_time'] as const,
    ['modifiedTime', 'article:modified_time'] as const,
  ],
  ...[['articleTag', 'article:tag'] as const, ['articleSection', 'article:section'] as const],
  ...['created', 'date.created', 'date', 'type', 'audience', 'subject', 'description', 'keywords'].map(
    name => [theirName('dc', name), `dc.${name}`] as const,
  ),
  ...['created', 'audience', 'subject', 'type', 'keywords'].map(
    name => [theirName('dcTerms', name), `dcterms.${name}`] as const,
  ),
]

function pairs(prefix: string, names: string): Array<readonly [string, string]> {
  return names.split(' ').map(name => [theirName(prefix, name), `${prefix}:${name}`] as const)
}

function theirName(prefix: string, name: string): string {
  return `${prefix}${name
    .split(/[_:.]/)
    .map(word => `${word[0]!.toUpperCase()}${word.slice(1)}`)
    .join('')}`
}

export function metadataOf(source: Source): Record<string, unknown> {
  const { record, data, page, made, attempts, job, asked } = source
  const said = made?.metadata
  const meta = said?.meta ?? {}
  const last = attempts.at(-1)
  const isReused = last?.outcome === 'cached'
  const facts = {
    title: said?.title ?? data.title,
    description: meta.description ?? data.description,
    language: said?.language ?? data.language,
    ...Object.fromEntries(
      named.flatMap(([theirs, name]) => (meta[name] === undefined ? [] : [[theirs, meta[name]]])),
    ),
    favicon: said?.favicon,
    numPages: data.pages,
    contentType: page ? headerOf(page.headers, 'content-type') : null,
  }
  return {
    ...meta,
    ...Object.fromEntries(Object.entries(facts).filter(([, value]) => value !== null && value !== undefined)),
    sourceURL: asked,
    url: record.finalUrl,
    statusCode: record.status,
    scrapeId: taskId(job.id, record.n),
    proxyUsed: isStealth(job.spec) ? 'stealth' : 'basic',
    cacheState: isReused ? 'hit' : 'miss',
    ...(isReused && { cachedAt: isoTime(record.fetchedAt) }),
    creditsUsed: 1,
  }
}

const isStealth = ({ browser, policy }: Job['spec']): boolean =>
  browser === 'stealth' || policy.proxy?.type === 'residential'
