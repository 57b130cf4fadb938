// What several rules may ask of one page, each found out once and only when asked.
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

  /** The language tag of the page; null when it does not say. */
  get language(): string | null {
    if (this.#language === undefined) this.#language = readLanguage(this.document)
    return this.#language
  }

  /** The JSON-LD blocks of the page, those that could be read. */
  get jsonLd(): Json[] {
    return this.#readJsonLd().blocks
  }

  /** What the page has too much of to be read, one message each. */
  get excesses(): string[] {
    const { leftOut } = this.#readJsonLd()
    return leftOut > 0 ? [`JSON-LD blocks of too many values were left out: ${leftOut}`] : []
  }

  #readJsonLd(): JsonLd {
    this.#jsonLd ??= readJsonLd(this.document)
    return this.#jsonLd
  }
}
