// Names and passwords in addresses: never sent, so never kept either.
import type { GivenSpec } from '../../model/job.ts'

/** `https://user:password@host/` → `https://host/`, wherever a job names an address to fetch. */
export function withoutUserInfo(spec: GivenSpec): GivenSpec {
  const { urls, seedUrls, sitemapUrl, items } = spec
  return {
    ...spec,
    ...(urls?.some(hasUserInfo) && { urls: urls.map(plain) }),
    ...(seedUrls?.some(hasUserInfo) && { seedUrls: seedUrls.map(plain) }),
    ...(sitemapUrl !== undefined && { sitemapUrl: plain(sitemapUrl) }),
    ...(items?.some(({ input }) => hasUserInfo(input.url)) && {
      items: items.map(item => ({ ...item, input: { ...item.input, url: plain(item.input.url) } })),
    }),
  }
}

/** Looked at for every address of a long list, so it is quick to say no. */
const hasUserInfo = (url: unknown): boolean => typeof url === 'string' && userInfo.test(url)

const userInfo = /^([a-z][a-z0-9+.-]*:[\\/]*)[^\\/?#]*@/i

const plain = <Value>(url: Value): Value =>
  (typeof url === 'string' ? url.replace(userInfo, '$1') : url) as Value
