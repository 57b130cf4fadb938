// Plans a job: its kind, and the first tasks of its spec.
import { randomBytes } from 'node:crypto'
import { Failure } from '../model/failures.ts'
import type { IngestProgress, JobKind, JobSpec } from '../model/job.ts'

const sources = ['urls', 'items', 'seedUrls', 'sitemapUrl', 'uploadId'] as const

interface PlanOptions {
  /** Rows come from a separate file. */
  fromFile: boolean
  /** Only URLs are gathered. */
  map: boolean
  /** It came to a service, which supports uploads. */
  isServed?: boolean
}

/** Requires exactly one source, and refuses options that would be ignored. */
export function kindOf(spec: JobSpec, { fromFile, map, isServed = false }: PlanOptions): JobKind {
  const given = sources.filter(source => spec[source] !== undefined)
  // The rows of an upload are in a file.
  const isFile = fromFile && spec.uploadId === undefined
  if (given.length + Number(isFile) !== 1)
    throw new Failure(
      'input.invalid',
      `a job needs exactly one of urls, items, seed_urls, sitemap_url or upload_id; this one has ${given.length ? given.map(snakeName).join(' and ') : 'none'}`,
      { path: snakeName(given[1] ?? 'urls') },
    )
  if (!isServed) refuseWhatIsMissing(spec)
  if (map) return 'map'
  return spec.seedUrls || spec.sitemapUrl ? 'crawl' : 'list'
}

/** A field that would be accepted and ignored is refused instead. */
function refuseWhatIsMissing(spec: JobSpec): void {
  if (spec.uploadId) throw missing('upload_id', 'uploads come with the service; give a file to `kscrape run`')
}

/** Lists follow no links, so link options would be accepted and ignored. */
export function refuseFollowing({ depth, allowedDomains }: Pick<JobSpec, 'depth' | 'allowedDomains'>): void {
  const given = Object.entries({ depth, allowedDomains }).find(([, value]) => value !== undefined)
  if (!given) return
  const path = snakeName(given[0])
  throw new Failure(
    'input.invalid',
    `${path}: a list follows no links; start from seed_urls to crawl, or leave it out`,
    { path },
  )
}

const missing = (path: string, way: string): Failure =>
  new Failure('feature.missing', `${path} can't be honoured here: ${way}`, { path })

const snakeName = (name: string): string => name.replace(/[A-Z]/g, letter => `_${letter.toLowerCase()}`)

/** Like `crawl-k3v9x2a7`: shows the kind, and sorts by it. */
export const newJobId = (kind: JobKind): string => `${kind}-${randomBytes(5).toString('hex')}`

export const nothingToIngest: IngestProgress = {
  source: null,
  done: true,
  rows: 0,
  blank: 0,
  rejected: 0,
  duplicates: 0,
}
