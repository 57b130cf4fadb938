// Parses a cookie file: Netscape cookies.txt, or the JSON of browser extensions and Playwright.
import { Failure } from '../../model/failures.ts'
import type { StorageState } from '../../model/policy/rendering.ts'
import { storedOrigins } from '../../model/policy/storage-state.ts'

export interface CookieJson {
  name: string
  value: string
  domain: string
  path: string
  /** Seconds since the epoch. Null means a session cookie, which never expires by time. */
  expires: number | null
  secure: boolean
  httpOnly: boolean
  /** True if the cookie is sent only to exactly this host, not to its subdomains. */
  hostOnly: boolean
  /** Undefined if the file does not state it. */
  sameSite?: SameSite
}

type SameSite = StorageState['cookies'][number]['sameSite']
type Origins = StorageState['origins']

export function parseCookieFile(text: string): CookieJson[] {
  const trimmed = text.replace(/^\uFEFF/, '').trim()
  return /^[[{]/.test(trimmed) ? parseJson(trimmed) : parseNetscape(trimmed)
}

/** The local storage in a file of Playwright's `storageState`. Empty for other files. */
export function parseStoredOrigins(text: string): Origins {
  const trimmed = text.replace(/^\uFEFF/, '').trim()
  const value = /^\{/.test(trimmed) ? (parsed(trimmed) as { origins?: unknown }).origins : undefined
  if (value === undefined) return []
  const origins = storedOrigins.safeParse(value)
  if (origins.success) return origins.data.filter(({ localStorage }) => localStorage.length > 0)
  const { path, message } = origins.error.issues[0]!
  throw new Failure('input.invalid', `origins${path.map(part => `[${String(part)}]`).join('')}: ${message}`)
}

function parseNetscape(text: string): CookieJson[] {
  return text.split(/\r?\n/).flatMap((line, index) => {
    const isHttpOnly = line.startsWith('#HttpOnly_')
    if (line.trim() === '' || (line.startsWith('#') && !isHttpOnly)) return []
    return [netscapeCookie(isHttpOnly ? line.slice('#HttpOnly_'.length) : line, isHttpOnly, index + 1)]
  })
}

/** The fields are: domain, whether subdomains are included, path, whether HTTPS is required, expiry, name, value. */
function netscapeCookie(line: string, httpOnly: boolean, lineNumber: number): CookieJson {
  const [domain, subdomains, path, secure, expires, name, ...value] = line.split('\t')
  if (!domain || !path || name === undefined || !/^-?\d+(\.\d+)?$/.test(expires ?? '')) {
    throw new Failure(
      'input.invalid',
      `Line ${lineNumber} of the cookie file does not have 7 fields separated by tabs`,
      {
        line: lineNumber,
      },
    )
  }
  return {
    name,
    value: value.join('\t'),
    domain: withoutDot(domain),
    path,
    expires: expiryOf(Number(expires)),
    secure: secure === 'TRUE',
    httpOnly,
    hostOnly: subdomains !== 'TRUE',
  }
}

function parseJson(text: string): CookieJson[] {
  const cookies = cookieArray(parsed(text))
  return cookies.map((cookie, index) => jsonCookie(cookie, index))
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch (cause) {
    throw new Failure(
      'input.invalid',
      `The cookie file is not JSON: ${(cause as Error).message}`,
      {},
      { cause },
    )
  }
}

function cookieArray(value: unknown): unknown[] {
  if (Array.isArray(value)) return value
  const inner = (value as { cookies?: unknown }).cookies
  if (Array.isArray(inner)) return inner
  throw new Failure(
    'input.invalid',
    'The cookie file is neither a list of cookies nor an object with a list "cookies"',
  )
}

function jsonCookie(entry: unknown, index: number): CookieJson {
  const cookie = (typeof entry === 'object' && entry !== null ? entry : {}) as Record<string, unknown>
  const { name = cookie.key, value = '', domain, path = '/' } = cookie
  if (typeof name !== 'string' || typeof value !== 'string' || typeof domain !== 'string' || domain === '') {
    throw new Failure('input.invalid', `Cookie ${index + 1} of the file lacks a name, a value or a domain`, {
      index,
    })
  }
  return {
    name,
    value,
    domain: withoutDot(domain),
    path: typeof path === 'string' && path.startsWith('/') ? path : '/',
    expires: expiryOf(cookie.expires ?? cookie.expirationDate),
    secure: cookie.secure === true,
    httpOnly: cookie.httpOnly === true,
    hostOnly: typeof cookie.hostOnly === 'boolean' ? cookie.hostOnly : !domain.startsWith('.'),
    ...sameSiteOf(cookie.sameSite),
  }
}

/** The values that Playwright and browser extensions use. `unspecified` means the browser's default. */
const sameSites: Record<string, SameSite> = {
  strict: 'Strict',
  lax: 'Lax',
  none: 'None',
  no_restriction: 'None',
}

function sameSiteOf(value: unknown): { sameSite?: SameSite } {
  const sameSite = typeof value === 'string' ? sameSites[value.toLowerCase()] : undefined
  return sameSite === undefined ? {} : { sameSite }
}

const withoutDot = (domain: string) => domain.replace(/^\./, '').toLowerCase()

/** Seconds, or a date as text. 0, -1 and "Infinity" mean a session cookie, returned as null. */
function expiryOf(value: unknown): number | null {
  const seconds = typeof value === 'string' ? Date.parse(value) / 1_000 : value
  return typeof seconds === 'number' && seconds > 0 && Number.isFinite(seconds) ? Math.floor(seconds) : null
}
