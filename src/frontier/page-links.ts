// Resolves the hrefs of a page to canonical URLs, with string operations where that is safe.
import { flatText } from '../lib/text/flat-text.ts'
import { type CanonicalOptions, canonicalByStandard, canonicalUrl, hostOf } from './canonical-url.ts'
import { KeyHash } from './keys.ts'
import { plainAbsolute, plainAbsoluteEnd, plainEnd } from './plain-urls.ts'

const hash = 0x23
const slash = 0x2f
const dot = 0x2e
const question = 0x3f
const lowerH = 0x68

/** Common schemes of links that are never pages. */
const otherSchemes = /^(?:mailto|javascript|tel|sms|data):/i

/** A beginning of a URL, such as its origin or folder, with its hash. A relative href is appended to it. */
class Prefix {
  readonly text: string
  readonly hash: KeyHash

  constructor(text: string) {
    this.text = text
    this.hash = new KeyHash().add(text)
  }
}

const nothing = new Prefix('')

const prefixOf = (text: string | null): Prefix | null => (text === null ? null : new Prefix(text))

/** Resolves the hrefs of one page. After `locate`, the resolved URL is `prefix` plus the part of the href from `at` to
 *  `end`. */
export class PageLinks {
  /** `URL.host` of the page; null if the base is not a web URL. */
  readonly host: string | null
  prefix: Prefix = nothing
  at = 0
  end = 0
  readonly #base: string
  readonly #options: CanonicalOptions
  readonly #origin: Prefix | null
  readonly #originSlash: string
  /** The canonical form of the base URL. Null if there is none; undefined until it is computed. */
  #self: Prefix | null | undefined
  /** The base URL without its query. Null if that is not canonical; undefined until it is computed. */
  #document: Prefix | null | undefined
  /** The parent folders of the base URL, nearest first. */
  readonly #folders: Prefix[] = []

  constructor(base: string, options: CanonicalOptions) {
    this.#base = base
    this.#options = options
    const origin = originOf(base, options)
    this.#origin = prefixOf(origin)
    this.#originSlash = `${origin}/`
    this.host = origin === null ? null : origin.slice(origin.indexOf('//') + 2)
  }

  hostOf(canonical: string): string {
    return this.host !== null && canonical.startsWith(this.#originSlash) ? this.host : hostOf(canonical)
  }

  /** The canonical URL of an href. Null if it is not a web link (`mailto:`, `javascript:`) or invalid. */
  resolve(href: string): string | null {
    return this.locate(href) ? this.located(href) : this.resolveByStandard(href)
  }

  resolveByStandard(href: string): string | null {
    return otherSchemes.test(href) ? null : canonicalByStandard(href, this.#options, this.#base)
  }

  located(href: string): string {
    return flatText(this.prefix.text + href.slice(this.at, this.end))
  }

  /** Resolves an href without creating a string. False if only the standard parser can resolve it. */
  locate(href: string): boolean {
    const origin = this.#origin
    if (origin === null || href === '') return false
    const first = href.charCodeAt(0)
    if (first === hash) return this.#locateSelf()
    // After two slashes comes a host, not a path. The standard parser resolves such an href.
    if (first === slash) return href.charCodeAt(1) !== slash && this.#set(origin, href, 0)
    if (first === lowerH && href.startsWith('http')) return this.#locateAbsolute(href)
    // The part before a colon may be a scheme.
    if (href.includes(':')) return false
    return this.#locateRelative(href, first, origin)
  }

  #set(prefix: Prefix, href: string, at: number): boolean {
    this.prefix = prefix
    this.at = at
    this.end = plainEnd(href, at, this.#options)
    return this.end >= 0
  }

  #locateSelf(): boolean {
    if (this.#self === undefined) this.#self = prefixOf(canonicalUrl(this.#base, this.#options))
    if (this.#self === null) return false
    this.prefix = this.#self
    this.at = 0
    this.end = 0
    return true
  }

  #locateAbsolute(href: string): boolean {
    const pathAt = this.#originSlash.length - 1
    this.prefix = nothing
    this.at = 0
    this.end = href.startsWith(this.#originSlash)
      ? plainEnd(href, pathAt, this.#options)
      : plainAbsoluteEnd(href, this.#options)
    return this.end >= 0
  }

  #locateRelative(href: string, first: number, origin: Prefix): boolean {
    if (first !== dot && first !== question && !isLetterOrDigit(first)) return false
    if (this.#document === undefined) this.#document = documentOf(this.#base, origin.text, this.#options)
    if (this.#document === null) return false
    if (first === question) return this.#set(this.#document, href, 0)
    let at = 0
    while (href.startsWith('../', at)) at += 3
    const folder = this.#folderAbove(this.#document, origin, at / 3)
    return this.#set(folder, href, at === 0 && href.startsWith('./') ? 2 : at)
  }

  #folderAbove(document: Prefix, origin: Prefix, levels: number): Prefix {
    const known = this.#folders[levels]
    if (known !== undefined) return known
    let text = folderOf(document.text)
    const isRoot = () => text.length === origin.text.length + 1
    for (let level = 0; level < levels && !isRoot(); level++) text = folderOf(text.slice(0, -1))
    this.#folders[levels] = new Prefix(text)
    return this.#folders[levels]
  }
}

const folderOf = (url: string): string => url.slice(0, url.lastIndexOf('/') + 1)

function originOf(base: string, options: CanonicalOptions): string | null {
  const root = plainAbsolute(base, options) === null ? standardRoot(base, options) : base
  if (root === null) return null
  return root.slice(0, root.indexOf('/', root.indexOf('//') + 2))
}

function standardRoot(base: string, options: CanonicalOptions): string | null {
  const canonical = canonicalByStandard(base, options)
  const url = canonical === null ? null : URL.parse(base)
  // If canonicalization changes the host (trailing dot), string operations would give wrong URLs. Then return null.
  return url !== null && canonical !== null && url.host === hostOf(canonical) ? canonical : null
}

/** An invalid percent-encoding. The standard parser may change it if the path is cut to a parent folder, so string operations are
 *  not safe. */
const brokenEscape = /%(?![0-9a-f]{2})/i

/** The base URL without its query, for relative hrefs. Null if the path changes in its canonical form, for example
 *  because of a session id. Its folders would be wrong then. */
function documentOf(base: string, origin: string, options: CanonicalOptions): Prefix | null {
  if (!base.startsWith(`${origin}/`)) return null
  const document = base.slice(0, firstOf(base, '?', '#'))
  if (brokenEscape.test(document)) return null
  return canonicalUrl(document, options) === document ? new Prefix(document) : null
}

function firstOf(text: string, one: string, other: string): number {
  const at = [text.indexOf(one), text.indexOf(other)].filter(index => index >= 0)
  return at.length === 0 ? text.length : Math.min(...at)
}

function isLetterOrDigit(code: number): boolean {
  const lower = code | 0x20
  return (code >= 0x30 && code <= 0x39) || (lower >= 0x61 && lower <= 0x7a)
}
