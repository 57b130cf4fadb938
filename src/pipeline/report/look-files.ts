// Fetches the style sheets, fonts and images of a page through the egress gate. For previews, fonts and images become `data:` URLs
// in the style sheets.

import type { PageSheet } from '../../extract/style-sheets.ts'
import { Limiter } from '../../lib/limiter.ts'
import { mediaTypeOf, type Page } from '../../model/page/page.ts'
import type { Fetch } from '../../ports/fetch.ts'
import type { PageLook } from './page-look.ts'

export interface InlinedLook {
  html: string
  /** The style sheets in the order of the page. Their addresses are replaced with `data:` URLs. */
  styles: string[]
  /** `data:` URLs of images, with the number of their element. */
  images: Array<{ node: number; data: string }>
  /** `data:` URLs of style attributes, with the address as written in the attribute. */
  inStyles: Array<{ address: string; data: string }>
  shell: string | null
  /** Files that could not be fetched, or that exceed the limits. */
  missing: number
}

/** Limits for the files of one preview. Files beyond these limits are left out. */
export const lookLimits = {
  files: 150,
  bytes: 12_000_000,
  bytesPerFile: 3_000_000,
  timeoutMs: 15_000,
  atOnce: 8,
  importDepth: 3,
  /** Characters of all style sheets and `data:` URLs together. A file that is used twice counts twice. */
  characters: 20_000_000,
  /** Maximum number of imports and URLs that are followed, over all style sheets of a page. */
  references: 5_000,
}
type Limits = typeof lookLimits

export async function inlineLook(
  fetch: Fetch,
  look: PageLook,
  limits: Limits = lookLimits,
): Promise<InlinedLook> {
  const files = new LookFiles(fetch, limits)
  const sheets = look.sheets.slice(0, limits.references)
  const styles = await Promise.all(sheets.map(sheet => styleOf(files, sheet, look.baseUrl)))
  const images = await Promise.all(
    look.images.map(async ({ node, url }) => ({ node, data: await files.dataUrl(url, /^image\//) })),
  )
  const inStyles = await Promise.all(
    look.inStyles.map(async address => ({ address, data: await files.relative(address, look.baseUrl) })),
  )
  return {
    ...{ html: look.html, styles: styles.filter(text => text !== ''), shell: look.shell },
    ...{ images: present(images), inStyles: present(inStyles), missing: files.missing },
  }
}

const present = <Entry extends { data: string | null }>(entries: readonly Entry[]) =>
  entries.filter((entry): entry is Entry & { data: string } => entry.data !== null)

async function styleOf(files: LookFiles, sheet: PageSheet, baseUrl: string): Promise<string> {
  const css =
    'css' in sheet
      ? await files.resolved(files.withinRoom(sheet.css) ?? '', baseUrl, 0)
      : await files.sheet(sheet.url, 0)
  return inMedia(css, sheet.media)
}

const inMedia = (css: string, media: string): string =>
  css === '' || media === '' || media === 'all' ? css : `@media ${media.replace(/[{}]/g, '')} {${css}}`

/** Limits for reading only style sheets. They are lower, because fonts and images are not needed. */
const textLimits: Limits = {
  ...{ ...lookLimits, files: 30, bytes: 4_000_000, bytesPerFile: 1_500_000 },
  ...{ characters: 4_000_000, references: 500 },
}

/** The text of all style sheets in order, including their imports. */
export async function sheetTexts(
  fetch: Fetch,
  sheets: readonly PageSheet[],
  limits: Limits = textLimits,
): Promise<{ css: string; missing: number }> {
  const files = new LookFiles(fetch, limits)
  const texts = await Promise.all(
    sheets.slice(0, limits.references).map(async sheet => {
      const css = 'css' in sheet ? (files.withinRoom(sheet.css) ?? '') : await files.plainSheet(sheet.url, 0)
      return inMedia(css, sheet.media)
    }),
  )
  return { css: texts.join('\n'), missing: files.missing }
}

// Both patterns take linear time, also on hostile text. A lookahead with a back reference matches atomically, so the
// pattern does not backtrack. A failed match ends before the next `@import` or `url(`.
const imports =
  /@import\s+(?:url\(\s*)?(?:"([^"]*)"|'([^']*)'|(?=([^"'()\s;]+))\3)(?:\s*\))?(?=([^;{}@]*))\4;/gi
const addresses = /url\(\s*(?:"([^"]*)"|'([^']*)'|(?=([^"'()\s]+))\3)\s*\)/gi

/** Fetches the files of one preview within common limits. Each file is fetched once. */
class LookFiles {
  missing = 0
  readonly #fetch: Fetch
  readonly #limits: Limits
  readonly #signal: AbortSignal
  readonly #pages = new Map<string, Promise<Page | null>>()
  #bytes = 0
  #characters = 0
  #references = 0
  readonly #limiter: Limiter

  constructor(fetch: Fetch, limits: Limits) {
    this.#fetch = fetch
    this.#limits = limits
    this.#limiter = new Limiter(limits.atOnce)
    this.#signal = AbortSignal.timeout(limits.timeoutMs)
  }

  async sheet(url: string, depth: number): Promise<string> {
    const page = await this.#sheetPage(url)
    const css = page && this.withinRoom(page.body.toString('utf8'))
    return css ? this.resolved(css, page.finalUrl, depth) : ''
  }

  /** The text; null if it exceeds the limit of characters together with all earlier texts. */
  withinRoom(text: string): string | null {
    if (this.#characters + text.length <= this.#limits.characters) {
      this.#characters += text.length
      return text
    }
    this.missing += 1
    return null
  }

  /** A style sheet with its imports. Other URLs in it are unchanged. */
  async plainSheet(url: string, depth: number): Promise<string> {
    const page = await this.#sheetPage(url)
    const css = page && this.withinRoom(page.body.toString('utf8'))
    if (!css) return ''
    return this.#withImports(css, page.finalUrl, depth, (imported, next) => this.plainSheet(imported, next))
  }

  async #sheetPage(url: string): Promise<Page | null> {
    const page = await this.#get(url)
    return page && /css|^$|text\/plain/.test(mediaTypeOf(page.headers)) ? page : null
  }

  #withImports(
    css: string,
    baseUrl: string,
    depth: number,
    textOf: (url: string, depth: number) => Promise<string>,
  ): Promise<string> {
    return this.#replaceAll(css, imports, async ([, double, single, bare, media]) => {
      const address = double ?? single ?? bare ?? ''
      const url = depth < this.#limits.importDepth ? URL.parse(address, baseUrl)?.href : undefined
      if (!url?.startsWith('http')) return ''
      const text = await textOf(url, depth + 1)
      const wanted = media!.trim().replace(/[{}]/g, '')
      return wanted === '' || /^(?:layer|supports)\b/.test(wanted) ? text : `@media ${wanted} {${text}}`
    })
  }

  /** A style sheet with its imports, in which all other URLs are replaced with `data:` URLs. */
  async resolved(css: string, baseUrl: string, depth: number): Promise<string> {
    const withImports = await this.#withImports(css, baseUrl, depth, (url, next) => this.sheet(url, next))
    return this.#replaceAll(withImports, addresses, async ([whole, double, single, bare]) => {
      const address = double ?? single ?? bare ?? ''
      if (/^(?:data:|#)/i.test(address)) return whole!
      return `url("${(await this.relative(address, baseUrl)) ?? 'data:,'}")`
    })
  }

  async relative(address: string, baseUrl: string): Promise<string | null> {
    const url = URL.parse(address, baseUrl)?.href
    return url?.startsWith('http') ? this.dataUrl(url, /^(?:image|font)\/|font|octet-stream/) : null
  }

  async dataUrl(url: string, accepted: RegExp): Promise<string | null> {
    const page = await this.#get(url)
    if (!page) return null
    const type = mediaTypeOf(page.headers) || 'application/octet-stream'
    if (!accepted.test(type)) return null
    return this.withinRoom(`data:${type};base64,${page.body.toString('base64')}`)
  }

  #get(url: string): Promise<Page | null> {
    const known = this.#pages.get(url)
    if (known) return known
    const fetched =
      this.#pages.size < this.#limits.files
        ? this.#limiter.run(() => this.#getNow(url))
        : Promise.resolve(null)
    const counted = fetched.then(page => {
      if (page === null) this.missing += 1
      return page
    })
    this.#pages.set(url, counted)
    return counted
  }

  async #getNow(url: string): Promise<Page | null> {
    try {
      return this.#bytes >= this.#limits.bytes ? null : await this.#ask(url)
    } catch {
      // The preview is shown without the file; `missing` counts it.
      return null
    }
  }

  async #ask(url: string): Promise<Page | null> {
    const { bytesPerFile, timeoutMs } = this.#limits
    const timeouts = { connectMs: timeoutMs, headersMs: timeoutMs, idleMs: timeoutMs, totalMs: timeoutMs }
    const page = await this.#fetch({ url, timeouts, maxBytes: bytesPerFile, maxRedirects: 5 }, this.#signal)
    this.#bytes += page.body.length
    return page.status === 200 && this.#bytes <= this.#limits.bytes ? page : null
  }

  /** Replaces every match. After the limit of references, drops the rest of the text. */
  async #replaceAll(
    text: string,
    pattern: RegExp,
    replacement: (found: RegExpExecArray) => Promise<string>,
  ): Promise<string> {
    const parts: Array<string | Promise<string>> = []
    let at = 0
    for (const found of text.matchAll(pattern)) {
      parts.push(text.slice(at, found.index))
      if (this.#references >= this.#limits.references) {
        this.missing += 1
        return (await Promise.all(parts)).join('')
      }
      this.#references += 1
      parts.push(replacement(found))
      at = found.index + found[0].length
    }
    return (await Promise.all([...parts, text.slice(at)])).join('')
  }
}
