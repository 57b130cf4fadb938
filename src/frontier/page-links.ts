// Turns the hrefs of one page into canonical URLs, by string work where that is safe.
import { type CanonicalOptions, canonicalByStandard, hostOf } from './canonical-url.ts'
import { appendPlain, plainAbsolute } from './plain-urls.ts'

const slash = 0x2f
const dot = 0x2e
const question = 0x3f
const lowerH = 0x68

export class PageLinks {
  /** `URL.host` of the page; null when the base is no web URL. */
  readonly host: string | null
  readonly #base: string
  readonly #options: CanonicalOptions
  readonly #origin: string | null
  #originSlash: string
  /** The base without its query, when it is canonical as it stands; null when it is not; undefined until needed. */
  #document: string | null | undefined

  constructor(base: string, options: CanonicalOptions) {
    this.#base = base
    this.#options = options
    this.#origin = originOf(base, options)
    this.host = this.#origin === null ? null : this.#origin.slice(this.#origin.indexOf('//') + 2)
    this.#originSlash = `${this.#origin}/`
  }

  isOwn(canonical: string): boolean {
    return canonical.startsWith(this.#originSlash)
  }

  hostOf(canonical: string): string {
    return this.host !== null && this.isOwn(canonical) ? this.host : hostOf(canonical)
  }

  /** Null for what is no web link (`mailto:`, `javascript:`, nonsense). */
  resolve(href: string): string | null {
    return this.#resolvePlain(href) ?? canonicalByStandard(href, this.#options, this.#base)
  }

  #resolvePlain(href: string): string | null {
    const origin = this.#origin
    if (origin === null || href === '') return null
    const first = href.charCodeAt(0)
    // Two slashes start a host.
    if (first === slash)
      return href.charCodeAt(1) === slash ? null : appendPlain(origin, href, 0, this.#options)
    if (first === lowerH && href.startsWith('http')) return this.#resolveAbsolute(href, origin)
    return this.#resolveRelative(href, first, origin)
  }

  #resolveAbsolute(href: string, origin: string): string | null {
    if (href.startsWith(this.#originSlash)) return appendPlain(origin, href, origin.length, this.#options)
    return plainAbsolute(href, this.#options)
  }

  #resolveRelative(href: string, first: number, origin: string): string | null {
    if (first !== dot && first !== question && !isLetterOrDigit(first)) return null
    // A colon may end a scheme.
    if (href.includes(':')) return null
    this.#document ??= documentOf(this.#base, origin, this.#options)
    if (this.#document === null) return null
    if (first === question) return appendPlain(this.#document, href, 0, this.#options)
    return this.#fromFolder(href, folderOf(this.#document), origin.length + 1)
  }

  #fromFolder(href: string, folder: string, rootLength: number): string | null {
    let at = 0
    let from = folder
    while (href.startsWith('../', at)) {
      from = from.length > rootLength ? folderOf(from.slice(0, -1)) : from
      at += 3
    }
    if (at === 0 && href.startsWith('./')) at = 2
    return appendPlain(from, href, at, this.#options)
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
  // A host that had to be rewritten (a root dot) would resolve to another string than we put before the path.
  return url !== null && canonical !== null && url.host === hostOf(canonical) ? canonical : null
}

/** Folders of a path with session ids do not line up with those of its canonical form: then nothing is taken apart. */
function documentOf(base: string, origin: string, options: CanonicalOptions): string | null {
  if (!base.startsWith(`${origin}/`)) return null
  const document = base.slice(0, firstOf(base, '?', '#'))
  return canonicalByStandard(document, options) === document ? document : null
}

function firstOf(text: string, one: string, other: string): number {
  const at = [text.indexOf(one), text.indexOf(other)].filter(index => index >= 0)
  return at.length === 0 ? text.length : Math.min(...at)
}

function isLetterOrDigit(code: number): boolean {
  const lower = code | 0x20
  return (code >= 0x30 && code <= 0x39) || (lower >= 0x61 && lower <= 0x7a)
}
