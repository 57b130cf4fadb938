// Seals the users and passwords of a job's proxies before the job is stored, and opens them for the process that uses the proxies.
import type { Sealer } from '../../ports/secrets.ts'

/** The spec of a job, or a request body that becomes a spec. */
type MayHaveProxies = { policy?: unknown }

const mark = 'sealed-v1-'
const sealedUser = new RegExp(`^([a-z0-9]+:)//${mark}([^@]*)@`)

export const sealProxies = <Spec extends MayHaveProxies>(sealer: Sealer, owner: string, spec: Spec): Spec =>
  mapUrls(spec, url => {
    const [, scheme, user, place] = /^([a-z0-9]+:)\/\/(?:(.*)@)?(.*)$/i.exec(url) ?? []
    if (!user || user.startsWith(mark)) return url
    return `${scheme}//${mark}${encodeURIComponent(sealer.seal(user, ownerOf(owner)))}@${place}`
  })

export const openProxies = <Spec extends MayHaveProxies>(sealer: Sealer, owner: string, spec: Spec): Spec =>
  mapUrls(spec, url =>
    url.replace(
      sealedUser,
      (_all, scheme, sealed) => `${scheme}//${sealer.open(decodeURIComponent(sealed), ownerOf(owner))}@`,
    ),
  )

/** The spec for display: proxy addresses without user and password. */
export const hideProxies = <Spec extends MayHaveProxies>(spec: Spec): Spec =>
  mapUrls(spec, url => url.replace(/^([a-z0-9]+:)\/\/.*@/i, '$1//'))

const ownerOf = (owner: string): string => `${owner} policy.proxy`

function mapUrls<Spec extends MayHaveProxies>(spec: Spec, change: (url: string) => string): Spec {
  const policy = spec.policy as { proxy?: { urls?: unknown } } | undefined
  const urls = policy?.proxy?.urls
  if (!Array.isArray(urls) || urls.length === 0) return spec
  const changed = urls.map(url => (typeof url === 'string' ? change(url) : url))
  return { ...spec, policy: { ...policy, proxy: { ...policy!.proxy, urls: changed } } }
}
