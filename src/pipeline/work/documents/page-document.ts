// Converts a stored page into a document: markdown, cleaned markup, links, images, attributes and metadata.

import { type BrandPage, brandPage } from '../../../extract/branding/brand-page.ts'
import { hiddenElements } from '../../../extract/content/hidden-text.ts'
import { imageSource } from '../../../extract/content/images.ts'
import { type Content, mainContent, wholePage } from '../../../extract/content/main-content.ts'
import { toMarkdown } from '../../../extract/content/markdown.ts'
import { absoluteLinks, titleOf } from '../../../extract/default-record.ts'
import {
  compileSelector,
  type FlatDocument,
  type NodeId,
  parseDocument,
  selectAll,
} from '../../../extract/document/index.ts'
import { type FoundLinks, findLinks } from '../../../extract/links.ts'
import { PageFacts } from '../../../extract/page-facts.ts'
import { decodeText } from '../../../fetch/http/index.ts'
import { cleanText } from '../../../lib/text/clean-text.ts'
import { Failure } from '../../../model/failures.ts'
import type { Page } from '../../../model/page/page.ts'
import type { PiiMode } from '../../../model/personal-data.ts'
import type { RecordData } from '../../../model/record.ts'
import { applyPii } from '../../../normalize/index.ts'
import { isMarkup } from '../parse-page.ts'
import { schemaFields } from './schema-fields.ts'
import type { JsonSchema } from './schema-shape.ts'

/** The part of a page to use. */
export interface PagePart {
  onlyMainContent: boolean
  /** Selectors. If there are any, only elements that match one of them are used, in the order of the page. */
  includeTags: string[]
  /** Selectors of elements to remove. */
  excludeTags: string[]
}

/** Throws `input.invalid` for invalid selectors. Call it before the page is fetched. */
export function checkPagePart({ includeTags, excludeTags }: PagePart): void {
  for (const [path, list] of Object.entries({ includeTags, excludeTags }))
    for (const selector of list) checkSelector(selector, path)
}

export function checkSelector(selector: string, path: string): void {
  try {
    compileSelector(selector)
  } catch (cause) {
    throw new Failure('input.invalid', `${path}: ${(cause as Error).message}`, { path }, { cause })
  }
}

/** Which parts of the document to make. The reader process makes all of them in one call. */
export interface DocumentOptions {
  part: PagePart
  /** Masks or drops personal data in the markdown and in texts. */
  pii: 'keep' | 'mask' | 'drop'
  wants: ReadonlyArray<'markdown' | 'html' | 'source' | 'links' | 'images' | 'metadata' | 'texts' | 'brand'>
  attributes?: ReadonlyArray<{ selector: string; attribute: string }> | undefined
  /** Schemas whose fields are found by name. The result has one object per schema. */
  schemas?: readonly JsonSchema[]
}

/** The document. Only the requested parts are set. */
export interface MadeDocument {
  markdown?: string
  html?: string
  source?: string
  links?: string[]
  images?: string[]
  metadata?: PageMetadata
  brand?: BrandPage
  /** The visible text of the page, and its hidden texts. */
  texts?: { text: string; hidden: string[] }
  attributes: string[][]
  fields: RecordData[]
}

/** Whether the reader process should make the document, so that the API stays responsive. Selectors cost more time than
 *  parsing, so the limit is lower with selectors. */
export const isCostlyDocument = ({ body }: Page, { part, attributes = [] }: DocumentOptions): boolean =>
  body.length > (part.includeTags.length + part.excludeTags.length + attributes.length > 0 ? 16_000 : 100_000)

/** Makes the document. Null if the page is not markup; then its record has the content. */
export function makeDocument(page: Page, options: DocumentOptions): MadeDocument | null {
  if (!isMarkup(page)) return null
  const made = new PageDocument(decodeText(page), page.finalUrl)
  const wants = new Set(options.wants)
  return {
    ...(wants.has('markdown') && { markdown: withPii(made.markdown(options.part), options.pii) }),
    ...(wants.has('html') && { html: made.html(options.part) }),
    ...(wants.has('source') && { source: made.source }),
    ...(wants.has('links') && { links: made.links() }),
    ...(wants.has('images') && { images: made.images() }),
    ...(wants.has('metadata') && { metadata: made.metadata() }),
    ...(wants.has('brand') && { brand: made.brand() }),
    ...(wants.has('texts') && { texts: textsOf(made, options) }),
    attributes: (options.attributes ?? []).map(({ selector, attribute }) =>
      made.attributes(selector, attribute),
    ),
    fields: (options.schemas ?? []).map(schema => schemaFields(made.source, page.finalUrl, schema)),
  }
}

function textsOf(made: PageDocument, { part, pii }: DocumentOptions): { text: string; hidden: string[] } {
  const { text, hidden } = made.seenAndHidden(part)
  return { text: withPii(text, pii), hidden: hidden.map(line => withPii(line, pii)) }
}

/** A parsed page. Each part of the document is made on first use. */
class PageDocument {
  readonly source: string
  readonly #url: string
  #parsed: FlatDocument | null = null
  #found: FoundLinks | null = null

  constructor(source: string, url: string) {
    this.source = source
    this.#url = url
  }

  get #document(): FlatDocument {
    this.#parsed ??= parseDocument(this.source)
    return this.#parsed
  }

  get #links(): FoundLinks {
    this.#found ??= findLinks(this.#document, this.#url)
    return this.#found
  }

  get #base(): string {
    return this.#links.base
  }

  markdown(part: PagePart): string {
    return this.#contents(part)
      .map(content => toMarkdown(this.#document, content, this.#base).trim())
      .filter(text => text !== '')
      .join('\n\n')
  }

  /** The visible text, and separately the hidden text. */
  seenAndHidden(part: PagePart): { text: string; hidden: string[] } {
    const hidden = hiddenElements(this.#document)
    const isHidden = new Set(hidden)
    const text = this.#contents(part)
      .map(({ root, isDropped }) => ({
        root,
        isDropped: (node: NodeId) => isHidden.has(node) || isDropped(node),
      }))
      .map(content => toMarkdown(this.#document, content, this.#base).trim())
    return { text: text.join('\n\n'), hidden: hidden.map(node => cleanText(this.#document.text(node))) }
  }

  html(part: PagePart): string {
    return this.#contents(part)
      .map(({ root, isDropped }) => this.#document.outerHtml(root, isDropped))
      .join('\n')
  }

  links(): string[] {
    return absoluteLinks(this.#links)
  }

  images(): string[] {
    const found = selectAll(this.#document, compileSelector('img'), 0).flatMap(node => {
      const source = imageSource(this.#document, node)
      const url = source === null ? null : URL.parse(source, this.#base)
      return url && /^https?:$/.test(url.protocol) ? [url.href] : []
    })
    return [...new Set(found)]
  }

  attributes(selector: string, attribute: string): string[] {
    return selectAll(this.#document, compileSelector(selector), 0).flatMap(
      node => this.#document.attribute(node, attribute) ?? [],
    )
  }

  metadata(): PageMetadata {
    const facts = new PageFacts(this.#document)
    const meta = Object.fromEntries(
      [...facts.meta].map(([name, values]) => [name, values.length === 1 ? values[0]! : values]),
    )
    return { title: titleOf(facts), language: facts.language, favicon: this.#favicon(), meta }
  }

  brand(): BrandPage {
    return brandPage(this.#document, this.#base)
  }

  #favicon(): string | null {
    const [icon] = selectAll(this.#document, compileSelector('link[rel~="icon"]'), 0)
    const href = icon === undefined ? null : this.#document.attribute(icon, 'href')
    return href === null ? null : (URL.parse(href, this.#base)?.href ?? null)
  }

  #contents({ onlyMainContent, includeTags, excludeTags }: PagePart): Content[] {
    const whole =
      onlyMainContent && includeTags.length === 0 ? mainContent(this.#document) : wholePage(this.#document)
    const excluded = new Set(excludeTags.flatMap(selector => this.#find(selector)))
    const isDropped = (node: NodeId) => whole.isDropped(node) || excluded.has(node)
    if (includeTags.length === 0) return [{ root: whole.root, isDropped }]
    return outermost(
      this.#document,
      includeTags.flatMap(selector => this.#find(selector)),
    ).map(root => ({ root, isDropped }))
  }

  #find = (selector: string): NodeId[] => selectAll(this.#document, compileSelector(selector), 0)
}

interface PageMetadata {
  title: string | null
  language: string | null
  favicon: string | null
  /** Meta elements by name in lower case. The value is a list if there are several with the same name. */
  meta: Record<string, string | string[]>
}

/** Sorts nodes in the order of the page, and removes duplicates and nodes inside other matches. */
function outermost(document: FlatDocument, nodes: NodeId[]): NodeId[] {
  const sorted = [...new Set(nodes)].sort((first, second) => first - second)
  let end = -1
  return sorted.filter(node => {
    if (node < end) return false
    end = document.end(node)
    return true
  })
}

/** Masks or drops personal data in the text of a page, as in records. */
export const withPii = (text: string, pii: PiiMode): string => String(applyPii({ text }, pii).text ?? '')

export const maskedRecord = (data: RecordData, pii: PiiMode): RecordData => applyPii(data, pii)
