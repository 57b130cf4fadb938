// Facts about a page that several readers use. Each is computed on first use and cached.
import type { Json } from '../model/record.ts'
import type { FlatDocument } from './document/index.ts'
import { type JsonLd, readJsonLd } from './json-ld.ts'
import { readLanguage } from './language.ts'
import { readMeta } from './meta.ts'
import { type PageShape, pageShape } from './page-shape.ts'

export class PageFacts {
  readonly document: FlatDocument
  #meta: Map<string, string[]> | null = null
  #jsonLd: JsonLd | null = null
  #language: string | null | undefined
  #shape: PageShape | null = null

  constructor(document: FlatDocument) {
    this.document = document
  }

  /** Values of meta elements by name, property or itemprop, in lower case. */
  get meta(): Map<string, string[]> {
    this.#meta ??= readMeta(this.document)
    return this.#meta
  }

  get shape(): PageShape {
    this.#shape ??= pageShape(this.document)
    return this.#shape
  }

  /** The language tag of the page; null if it declares none. */
  get language(): string | null {
    if (this.#language === undefined) this.#language = readLanguage(this.document)
    return this.#language
  }

  /** The parsed JSON-LD blocks of the page. Blocks that cannot be parsed are left out. */
  get jsonLd(): Json[] {
    return this.#readJsonLd().blocks
  }

  /** Messages about data that was skipped because it exceeds a limit. Empty if nothing was skipped. */
  get excesses(): string[] {
    const { leftOut } = this.#readJsonLd()
    return leftOut > 0 ? [`JSON-LD blocks with too many values or levels were skipped: ${leftOut}`] : []
  }

  #readJsonLd(): JsonLd {
    this.#jsonLd ??= readJsonLd(this.document)
    return this.#jsonLd
  }
}
