// Parses the body of a page: markup as a document, other text as its format.
import { type FlatDocument, parseDocument } from '../../extract/document/index.ts'
import { formatOf, looksLikeFeed } from '../../extract/formats/format-of.ts'
import { type ReadText, readTextual } from '../../extract/formats/text.ts'
import { type FoundLinks, findLinks } from '../../extract/links.ts'
import { wallFailure, wallOf } from '../../extract/walls/index.ts'
import { decodeText } from '../../fetch/http/index.ts'
import { mediaTypeOf, type Page } from '../../model/page/page.ts'

/** A page with its parsed markup. */
export interface ParsedPage {
  document: FlatDocument
  source: string
  found: FoundLinks
  page: Page
  /** The URL of the task. */
  url: string
}

type Body = Pick<Page, 'headers' | 'body'>

export function isMarkup({ headers, body }: Body): boolean {
  const type = mediaTypeOf(headers)
  const isHtml = type === 'text/html' || type === 'application/xhtml+xml'
  return (isHtml || (type === '' && looksLikeMarkup(body))) && !looksLikeFeed(body)
}

/** Whether a page without a content type is markup. Some servers send HTML without a type. */
const looksLikeMarkup = (body: Buffer): boolean =>
  body.length === 0 || /^\s*</.test(body.toString('latin1', 0, 256))

export function parseMarkup(page: Page, url: string): ParsedPage {
  const source = decodeText(page)
  const document = parseDocument(source)
  return { document, source, found: findLinks(document, page.finalUrl), page, url }
}

/** Throws if the page is a wall. */
export function refuseWall({ document, source, page, url }: ParsedPage): void {
  const wall = wallOf({ ...page, url, source, document: () => document })
  if (wall) throw wallFailure(wall, { url, status: page.status })
}

/** The text of a page that is not markup. Null for a PDF or another download. */
export function textOf(page: Page): ReadText | null {
  const type = mediaTypeOf(page.headers)
  return formatOf(type, page.body) === 'text' ? readTextual(type, decodeText(page)) : null
}
