// Decides the kind of a job from its spec, and refuses options that do not fit.

import { randomBytes } from 'node:crypto'
import { Failure } from '../model/failures.ts'
import type { IngestProgress, JobKind, JobSpec } from '../model/job.ts'
import { snake } from '../model/letter-case.ts'

const sources = ['urls', 'items', 'seedUrls', 'sitemapUrl', 'uploadId'] as const

interface PlanOptions {
  /** Whether the rows come from a file. */
  fromFile: boolean
  /** Whether the job only collects URLs. */
  map: boolean
  /** Whether the job was submitted to a service, which supports uploads. */
  isServed?: boolean
}

/** The kind of a job. Throws if the spec has no source or several sources, or an
 *  upload without a service. */
export function kindOf(spec: JobSpec, { fromFile, map, isServed = false }: PlanOptions): JobKind {
  const given = sources.filter(source => spec[source] !== undefined)
  // An upload also has a file of rows, but it is already counted as `uploadId`.
  const isFile = fromFile && spec.uploadId === undefined
  if (given.length + Number(isFile) !== 1)
    throw new Failure(
      'input.invalid',
      `a job needs exactly one of urls, items, seed_urls, sitemap_url or upload_id; this one has ${given.length ? given.map(snake).join(' and ') : 'none'}`,
      { path: snake(given[1] ?? 'urls') },
    )
  if (!isServed) refuseWhatIsMissing(spec)
  if (map) return 'map'
  return spec.seedUrls || spec.sitemapUrl ? 'crawl' : 'list'
}

/** Throws if the spec uses a feature that only a service has. */
function refuseWhatIsMissing(spec: JobSpec): void {
  if (spec.uploadId) throw missing('upload_id', 'only a service has uploads; pass the file to `kscrape run`')
}

/** Throws if a list has options for links. A list follows no links, so they would be ignored. */
export function refuseFollowing({ depth, allowedDomains }: Pick<JobSpec, 'depth' | 'allowedDomains'>): void {
  const given = Object.entries({ depth, allowedDomains }).find(([, value]) => value !== undefined)
  if (!given) return
  const path = snake(given[0])
  throw new Failure(
    'input.invalid',
    `${path}: a list follows no links; start from seed_urls to crawl, or leave it out`,
    { path },
  )
}

const missing = (path: string, way: string): Failure =>
  new Failure('feature.missing', `${path} is not supported: ${way}`, { path })

/** A new job id like `crawl-1f0c9a27be`. It starts with the kind of the job, so that ids sort by kind. */
export const newJobId = (kind: JobKind): string => `${kind}-${randomBytes(5).toString('hex')}`

export const nothingToIngest: IngestProgress = {
  source: null,
  done: true,
  rows: 0,
  blank: 0,
  rejected: 0,
  duplicates: 0,
}
