// The consents that commands of a client need. A job with the same headers needs the same consents.
import { isBrowserHint, isBrowserName } from '../../../model/browser-name.ts'
import { isCredentialHeader } from '../../../model/credential-header.ts'

/** The consents of the client's key. */
export interface ClientConsents {
  /** Whether the client may use the user agent and the headers of a browser (`browser_headers`). */
  mayBeBrowser: boolean
  /** Whether the client may send headers, logins and cookies that it brings (`credentials`). */
  mayUseCredentials: boolean
}

type Params = Record<string, unknown>
type Headers = ReadonlyArray<readonly [name: string, value: string]>

/** Returns why the command is refused; null if the client has all consents that the command needs. */
export function missingConsent(
  method: string,
  params: Params,
  { mayBeBrowser, mayUseCredentials }: ClientConsents,
): string | null {
  const headers = [...headerPairs(params.headers), ...headerPairs(params.extraHTTPHeaders)]
  if (!mayBeBrowser) {
    if (userAgentsIn(params, headers).some(isBrowserName)) return needsBrowser(method)
    const hint = hasBrands(params) ? 'userAgentMetadata.brands' : nameOf(headers, isBrowserHint)
    if (hint !== undefined) return needs(method, hint, 'browser_headers')
  }
  if (mayUseCredentials) return null
  const what = nameOf(headers, isCredentialHeader) ?? credentialIn(method, params)
  return what === undefined ? null : needs(method, what, 'credentials')
}

const needsBrowser = (method: string): string =>
  `${method}: the user agent of a browser needs a key with the scope "browser_headers"; leave it out, or name your program, such as "my-bot/1.0"`

const needs = (method: string, what: string, scope: string): string =>
  `${method}: ${what} needs a key with the scope "${scope}"; leave it out`

const nameOf = (headers: Headers, isMeant: (name: string) => boolean): string | undefined => {
  const found = headers.find(([name]) => isMeant(name))
  return found && `the header ${found[0]}`
}

const userAgentsIn = ({ userAgent }: Params, headers: Headers): string[] => [
  ...(typeof userAgent === 'string' ? [userAgent] : []),
  ...headers.filter(([name]) => name.toLowerCase() === 'user-agent').map(([, value]) => value),
]

/** Whether the command sets the brands in client hints. Other metadata is allowed, because Playwright sends it with
 *  every user agent. */
function hasBrands({ userAgentMetadata }: Params): boolean {
  const { brands, fullVersionList } = (userAgentMetadata ?? {}) as Params
  return [brands, fullVersionList].some(list => Array.isArray(list) && list.length > 0)
}

const setsCookies = new Set([
  ...['Network.setCookie', 'Network.setCookies', 'Storage.setCookies'],
  ...['addCookies', 'setStorageState'],
])

/** A login or cookies in the parameters of a command of the DevTools protocol or of Playwright's protocol. */
function credentialIn(method: string, params: Params): string | undefined {
  if (setsCookies.has(method)) return 'setting cookies'
  if (params.storageState !== undefined) return 'storageState'
  if (params.httpCredentials) return 'httpCredentials'
  const { response } = (params.authChallengeResponse ?? {}) as Params
  return response === 'ProvideCredentials' ? 'a user name with a password' : undefined
}

/** Headers as pairs. They are an object of names and values, or a list of `{ name, value }`. */
function headerPairs(headers: unknown): Array<[name: string, value: string]> {
  if (typeof headers !== 'object' || headers === null) return []
  const pairs = Array.isArray(headers)
    ? headers.map((entry: Params | null) => [entry?.name, entry?.value])
    : Object.entries(headers)
  return pairs.map(([name, value]) => [String(name), String(value)])
}

/** Removes the headers that the page's request already has. The client needs no consent to pass them on unchanged. */
export function withoutOwnHeaders(params: Params, ofPage: Readonly<Record<string, string>>): Params {
  const own = new Map(Object.entries(ofPage).map(([name, value]) => [name.toLowerCase(), value]))
  const changed = headerPairs(params.headers).filter(([name, value]) => own.get(name.toLowerCase()) !== value)
  return { ...params, headers: Object.fromEntries(changed) }
}
