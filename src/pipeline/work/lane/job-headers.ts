// The headers of a job. Headers without secrets go to every site, the others only to sites that the caller named.

import { headersForAll, headersTo, ownHeaders, setFor, withoutSecrets } from '../../../fetch/http/index.ts'
import { lowerCaseNames } from '../../../lib/text/lower-case-names.ts'
import type { LaneJob } from '../../../model/lane.ts'
import type { HeaderList } from '../../../model/page/page.ts'

type Headers = Record<string, string>

export interface JobHeaders {
  /** Sent with every request of the job, except requests for robots.txt. */
  everywhere: Headers
  /** The secret headers for a request to `url`; undefined if there are none. `home` is the URL of the task. In a list,
   *  its site counts as a site that the caller named. */
  extraFor(url: string, home: string): Headers | undefined
}

/** Divides the headers of a job into headers for all sites and headers that may be secret. A crawl may request sites that
 *  the caller did not name. So headers that may be secret go only to the origins of its seeds or rows. */
export function jobHeaders({ kind, spec }: Pick<LaneJob, 'kind' | 'spec'>): JobHeaders {
  const all = lowerCaseNames(spec.headers)
  const everywhere: Headers = { ...headersForAll(all) }
  const own = Object.fromEntries(Object.entries(all).filter(([name]) => !(name in everywhere)))
  if (Object.keys(own).length === 0) return { everywhere, extraFor: () => undefined }
  const seeds = new Set(namedUrls(spec).map(url => new URL(url).origin))
  const givenAt = (home: string) => (kind === 'list' ? setFor(home, own) : { headers: own, origins: seeds })
  return {
    everywhere,
    extraFor(url, home) {
      const sent: Headers = headersTo(url, givenAt(home))
      return Object.keys(sent).length === 0 ? undefined : sent
    },
  }
}

/** The URLs that the caller named. The site of the sitemap counts only if there are no seed URLs, because a sitemap may be on
 *  another site than its pages. */
const namedUrls = ({ seedUrls, sitemapUrl }: LaneJob['spec']): string[] =>
  seedUrls ?? (sitemapUrl === undefined ? [] : [sitemapUrl])

/** The headers that HTTP requests of the job usually send, without secrets. A stored page has its own list of headers
 *  only if it differs from this list. */
export const usualHeaders = (job: Pick<LaneJob, 'kind' | 'spec'>): HeaderList =>
  withoutSecrets(Object.entries(ownHeaders(job.spec.userAgent ?? '', jobHeaders(job).everywhere)))
