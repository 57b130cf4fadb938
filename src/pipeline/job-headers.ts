// The headers of a job: what any site may know goes everywhere, the rest only where the caller sent us.
import { forOtherOrigin, ownHeaders, withoutSecrets } from '../fetch/http/index.ts'
import type { LaneJob } from '../model/lane.ts'
import type { HeaderList } from '../model/page.ts'
import { originOf } from './robots-gate.ts'

type Headers = Record<string, string>

export interface JobHeaders {
  /** Sent with every request of the job. */
  everywhere: Headers
  /** What else goes with a request to this URL; undefined when nothing does. */
  extraFor(url: string): Headers | undefined
}

/** A crawl also comes to sites that nobody named: what could be a secret stays with the origins of its seeds. */
export function jobHeaders({ kind, spec }: Pick<LaneJob, 'kind' | 'spec'>): JobHeaders {
  const all = lowerCased(spec.headers)
  const harmless = forOtherOrigin(all, false)
  const own = Object.fromEntries(Object.entries(all).filter(([name]) => !(name in harmless)))
  if (kind === 'list' || Object.keys(own).length === 0) return { everywhere: all, extraFor: () => undefined }
  const named = new Set(
    [...(spec.seedUrls ?? []), ...(spec.sitemapUrl ? [spec.sitemapUrl] : [])].flatMap(originsOf),
  )
  return { everywhere: { ...harmless }, extraFor: url => (named.has(originOf(url)) ? own : undefined) }
}

/** What a plain request of the job says unless the page it brought tells otherwise; secrets cut out. */
export const usualHeaders = (job: Pick<LaneJob, 'kind' | 'spec'>): HeaderList =>
  withoutSecrets(Object.entries(ownHeaders(job.spec.userAgent ?? '', jobHeaders(job).everywhere)))

/** A seed with http stands for https on the usual port too: that is safer, not less so. */
function originsOf(seed: string): string[] {
  const { origin, protocol, port, hostname } = new URL(seed)
  return protocol === 'http:' && port === '' ? [origin, `https://${hostname}`] : [origin]
}

const lowerCased = (headers: Headers): Headers =>
  Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]))
