// The headers of a job: the harmless ones go to every site, the others only to the sites that the caller named.
import { headersForAll, headersTo, ownHeaders, setFor, withoutSecrets } from '../../fetch/http/index.ts'
import type { LaneJob } from '../../model/lane.ts'
import type { HeaderList } from '../../model/page/page.ts'

type Headers = Record<string, string>

export interface JobHeaders {
  /** Sent with every request of the job but those for robots.txt. */
  everywhere: Headers
  /**
   * The further headers of a request to `url`; undefined when there are none. `home` is the URL of the task: in a list, the caller
   * named that one for this task.
   */
  extraFor(url: string, home: string): Headers | undefined
}

/** A job also comes to sites that nobody named: headers that could be secrets stay with the origins of its seeds, or of its rows. */
export function jobHeaders({ kind, spec }: Pick<LaneJob, 'kind' | 'spec'>): JobHeaders {
  const all = lowerCased(spec.headers)
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

/** A sitemap may lie elsewhere than the pages. Its site counts as named only where the caller named no other. */
const namedUrls = ({ seedUrls, sitemapUrl }: LaneJob['spec']): string[] =>
  seedUrls ?? (sitemapUrl === undefined ? [] : [sitemapUrl])

/** What a plain request of the job says unless the page it brought tells otherwise; secrets cut out. */
export const usualHeaders = (job: Pick<LaneJob, 'kind' | 'spec'>): HeaderList =>
  withoutSecrets(Object.entries(ownHeaders(job.spec.userAgent ?? '', jobHeaders(job).everywhere)))

const lowerCased = (headers: Headers): Headers =>
  Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]))
