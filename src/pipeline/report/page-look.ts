// Prepares a page for the preview: markup with numbered elements and without scripts, and the URLs of its style sheets and images.
import {
  compileSelector,
  compileXPath,
  evaluateXPath,
  type FlatDocument,
  type NodeId,
  parseDocument,
  selectAll,
  selectFirst,
} from '../../extract/document/index.ts'
import { serialize } from '../../extract/document/serialize.ts'
import { type DescribedField, outlineOf } from '../../extract/llm/pick-question.ts'
import { pick, pickAll } from '../../extract/pick/pick.ts'
import { renderNeed } from '../../extract/render-need.ts'
import { httpUrl, type PageSheet, styleSheets } from '../../extract/style-sheets.ts'
import { decodeText } from '../../fetch/http/index.ts'
import type { ExtractionRules } from '../../model/extraction-rules.ts'
import { Failure } from '../../model/failures.ts'
import { mediaTypeOf, type Page } from '../../model/page/page.ts'
import type { PickAnswer, PickRequest } from '../../model/picking.ts'

/** The attribute with the number of an element. The picker refers to elements by these numbers. */
const numberAttribute = 'data-kscrape-node'

export interface PageLook {
  html: string
  /** The style sheets in the order of the page. */
  sheets: PageSheet[]
  /** URLs of images, with the number of their element. */
  images: Array<{ node: NodeId; url: string }>
  /** URLs in style attributes, as written in the page. */
  inStyles: string[]
  /** The base of relative URLs. */
  baseUrl: string
  /** Why the page has no content without a browser; null if it has content. */
  shell: string | null
}

const dropped = new Set(
  'script noscript iframe frame object embed link meta base applet portal template audio video source track style'.split(
    ' ',
  ),
)
const mostImages = 300

/** The prepared page. Null if the page is not markup. */
export function lookOf(page: Page): PageLook | null {
  if (!isMarkup(page)) return null
  const document = parseDocument(decodeText(page))
  const need = renderNeed({ document, missingRequired: [] })
  const baseUrl = baseOf(document, page.finalUrl)
  return {
    ...{
      html: numbered(document),
      sheets: styleSheets(document, baseUrl),
      images: imagesOf(document, baseUrl),
    },
    ...{ inStyles: stylesOf(document), baseUrl, shell: need.needs ? need.why : null },
  }
}

/** The fields and selectors that a click in the preview suggests. */
export function pickIn(page: Page, request: PickRequest): PickAnswer {
  const document = parseDocument(decodeText(page))
  for (const node of [request.node, ...(request.fields ?? []).flatMap(({ examples }) => examples)])
    if (node >= document.size || node < 1 || !document.isElement(node))
      throw new Failure(
        'input.invalid',
        `the page has no element ${node}; use a number from the attribute ${numberAttribute}`,
      )
  return pick(document, baseOf(document, page.finalUrl), request)
}

/** Positions of record fields in the page, for rules with selectors. */
export function fieldsIn(page: Page, rules: ExtractionRules): FieldPlace[] {
  const document = parseDocument(decodeText(page))
  const rows = rules.each === undefined ? [0] : found(document, rules.each, 0)
  return rows.slice(0, mostRecords).flatMap((row, record) =>
    Object.entries(rules.fields).flatMap(([field, rule]) => {
      const { css, xpath } = typeof rule === 'string' ? { css: rule, xpath: undefined } : rule
      const selector = css ?? xpath
      const [node] = selector === undefined ? [row] : found(document, selector, row)
      return node === undefined || node === 0 ? [] : [{ field, record, node }]
    }),
  )
}

export interface FieldPlace {
  field: string
  /** Position of the record among the records of the page, from 0. */
  record: number
  node: NodeId
}

const mostRecords = 1_000

/** The elements that match a selector. It is XPath if it starts with a slash, else CSS, as in rules. */
function found(document: FlatDocument, selector: string, from: NodeId): NodeId[] {
  if (!/^\.?\//.test(selector)) return selectAll(document, compileSelector(selector), from)
  return evaluateXPath(document, compileXPath(selector), from).filter(node => typeof node === 'number')
}

/** The outline of the page that is sent to a model, so that the model can choose elements. */
export const outlineIn = (page: Page): string => outlineOf(parseDocument(decodeText(page)))

/** Proposes fields and selectors for several picked elements. Null if none of them is an element of the page. */
export function pickAllIn(page: Page, picks: readonly DescribedField[]): PickAnswer | null {
  const document = parseDocument(decodeText(page))
  return pickAll(document, baseOf(document, page.finalUrl), picks)
}

const isMarkup = (page: Page): boolean => /^$|html|xml/.test(mediaTypeOf(page.headers))

function baseOf(document: FlatDocument, url: string): string {
  const base = selectFirst(document, compileSelector('base[href]'))
  return (base === -1 ? null : URL.parse(document.attribute(base, 'href')!, url)?.href) ?? url
}

function numbered(document: FlatDocument): string {
  const tree = {
    kind: (node: NodeId) => document.kind(node),
    isElement: (node: NodeId) => document.isElement(node),
    isForeign: (node: NodeId) => document.isForeign(node),
    name: (node: NodeId) => document.name(node),
    parent: (node: NodeId) => document.parent(node),
    end: (node: NodeId) => document.end(node),
    text: (node: NodeId) => document.text(node),
    attributes: (node: NodeId): Array<[string, string]> => [
      ...document.attributes(node).filter(([name]) => name !== numberAttribute),
      [numberAttribute, String(node)],
    ],
  }
  return serialize(tree, 0, node => document.kind(node) === 'comment' || dropped.has(document.name(node)))
}

const lazySources = ['data-src', 'data-original', 'data-lazy-src', 'data-lazy']

function imagesOf(document: FlatDocument, baseUrl: string): PageLook['images'] {
  const images: PageLook['images'] = []
  for (let node = 1; node < document.size && images.length < mostImages; node++) {
    if (document.name(node) !== 'img') continue
    const sources = ['src', ...lazySources].map(name => document.attribute(node, name))
    const srcset = (
      document.attribute(node, 'srcset') ??
      document.attribute(node, 'data-srcset') ??
      ''
    ).trim()
    const candidates = [...sources, srcset.split(/\s+/)[0] ?? null]
    const url = candidates.map(source => httpUrl(source, baseUrl)).find(found => found !== null)
    if (url) images.push({ node, url })
  }
  return images
}

function stylesOf(document: FlatDocument): string[] {
  const found = new Set<string>()
  for (let node = 1; node < document.size && found.size < mostImages; node++) {
    const style = document.isElement(node) ? document.attribute(node, 'style') : null
    for (const [, url] of (style ?? '').matchAll(/url\(\s*["']?([^"'()]+)["']?\s*\)/gi)) found.add(url!)
  }
  return [...found]
}
