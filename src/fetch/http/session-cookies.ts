// Converts cookies of a stored session for plain requests, and merges the changes of a run into the session.
import type { StorageState } from '../../model/policy/rendering.ts'
import type { CookieJson } from './cookie-file.ts'

type StateCookie = StorageState['cookies'][number]

/** Converts a cookie of a session for the jar. A domain with a leading dot includes its subdomains. */
export const jarCookie = ({ domain, expires, sameSite: _, ...cookie }: StateCookie): CookieJson => ({
  ...cookie,
  domain: domain.replace(/^\./, ''),
  hostOnly: !domain.startsWith('.'),
  expires: expires === -1 ? null : Math.floor(expires),
})

export const stateCookie = ({ hostOnly, expires, ...cookie }: CookieJson): StateCookie => ({
  ...cookie,
  domain: hostOnly ? cookie.domain : `.${cookie.domain.replace(/^\./, '')}`,
  expires: expires ?? -1,
  sameSite: cookie.sameSite ?? 'Lax',
})

const keyOf = ({ name, domain, path }: CookieJson | StateCookie): string =>
  JSON.stringify([name, domain.replace(/^\./, ''), path])
const byKey = (cookies: readonly CookieJson[]) => new Map(cookies.map(cookie => [keyOf(cookie), cookie]))

/** Merges only cookies that the run set, changed or deleted. Others keep the values that the session has now. */
export function withChanges(
  state: StorageState,
  before: readonly CookieJson[],
  after: readonly CookieJson[],
): StorageState {
  const [old, now] = [byKey(before), byKey(after)]
  const changed = [...now].filter(([key, cookie]) => old.get(key)?.value !== cookie.value)
  const lost = [...old.keys()].filter(key => !now.has(key))
  const gone = new Set([...changed.map(([key]) => key), ...lost])
  const left = state.cookies.filter(cookie => !gone.has(keyOf(cookie)))
  return { ...state, cookies: [...left, ...changed.map(([, cookie]) => stateCookie(cookie))] }
}
