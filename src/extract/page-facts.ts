// Facts about a page that several readers use. Each is computed on first use and cached.
import type { Json } from '../model/record.ts'
import type { FlatDocument, NodeId } from './document/index.ts'
import { elementsNamed } from './elements-named.ts'
import { type JsonLd, readJsonLd } from './json-ld.ts'
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

const nameAttributes = ['name', 'property', 'itemprop', 'http-equiv']

/** Values by name in lower case, in document order. A name may have several values, such as images. */
function readMeta(document: FlatDocument): Map<string, string[]> {
  const meta = new Map<string, string[]>()
  for (const node of elementsNamed(document, 'meta')) {
    const content = document.attribute(node, 'content')
    if (content === null) continue
    for (const attribute of nameAttributes) {
      const name = document.attribute(node, attribute)?.trim().toLowerCase()
      if (!name) continue
      // RDFa allows several properties in one attribute: `property="dc:title og:title"`.
      for (const one of attribute === 'property' ? name.split(/\s+/) : [name]) addValue(meta, one, content)
    }
  }
  return meta
}

function addValue(meta: Map<string, string[]>, name: string, value: string): void {
  const values = meta.get(name)
  if (values === undefined) meta.set(name, [value])
  else values.push(value)
}

const languageTag = /^[A-Za-z]{2,8}(?:[-_][A-Za-z0-9]{1,8}){0,4}$/

/** The `lang` attribute of the html element, as a tag with hyphens. Null if it is missing or invalid. */
function readLanguage(document: FlatDocument): string | null {
  const html = rootElement(document)
  if (html < 0) return null
  const written = (document.attribute(html, 'lang') ?? document.attribute(html, 'xml:lang') ?? '').trim()
  return languageTag.test(written) ? written.replaceAll('_', '-') : null
}

function rootElement(document: FlatDocument): NodeId {
  let node = document.firstChild(0)
  while (node >= 0 && !document.isElement(node)) node = document.nextSibling(node)
  return node
}
