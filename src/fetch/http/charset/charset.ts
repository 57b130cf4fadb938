// Decodes a page. The order is: byte order mark, header, declaration in the document, UTF-8, detection. Valid UTF-8
// counts as UTF-8 even if the page declares a legacy encoding.
import { isAscii, isUtf8 } from 'node:buffer'
import sniffEncoding from 'html-encoding-sniffer'
import { headerOf, mediaTypeOf, type Page } from '../../../model/page/page.ts'
import { decodeBytes } from './encodings.ts'
import { foreignCounts, legacyEncoding } from './legacy-encoding.ts'
import { encodeLinkQueries } from './link-queries.ts'

/** Never throws: invalid bytes become U+FFFD, as in a browser. In a legacy page, the queries of links are
 *  percent-encoded in the page's encoding, as a browser requests them. */
export function decodeText(page: Page): string {
  const { body } = page
  const label = charsetLabel(headerOf(page.headers, 'content-type'))
  // The common case: the header declares UTF-8, and there is no byte order mark.
  if (label !== null && isUtf8Label(label) && !hasMark(body)) return body.toString('utf8')
  const encoding = encodingOf(page, label)
  const text = decode(body, encoding)
  return isUnicode(encoding) || !isHtml(mediaTypeOf(page.headers)) ? text : encodeLinkQueries(text, encoding)
}

function encodingOf(page: Page, label: string | null): string {
  const { body } = page
  const declared = declaredEncoding(page, label)
  if (declared === null) return undeclaredEncoding(page)
  return !isUnicode(declared) && isUtf8DespiteLabel(body, declared) ? 'UTF-8' : declared
}

/** The encoding that the byte order mark, the header or the document names, in that order. Null if none of them names
 *  an encoding. */
function declaredEncoding({ body, headers }: Page, label: string | null): string | null {
  const mediaType = mediaTypeOf(headers)
  const options = {
    defaultEncoding: '',
    ...(label !== null && { transportLayerEncodingLabel: label }),
  }
  const isPlain = isJson(mediaType) || mediaType === 'text/plain'
  if (isPlain) return sniffEncoding(body.subarray(0, 4), options) || null
  if (isXml(mediaType)) return sniffEncoding(body, { ...options, xml: true }) || null
  return sniffEncoding(body, options) || null
}

function undeclaredEncoding(page: Page): string {
  const { body } = page
  // ISO-2022-JP consists of ASCII bytes and escape sequences, so it is also valid UTF-8.
  const hasEscapes = body.includes('\x1b$')
  if (isUtf8(body) && !hasEscapes) return 'UTF-8'
  const late = isHtml(mediaTypeOf(page.headers)) ? lateEncoding(body) : ''
  if (late !== '') return late
  return isNearlyUtf8(body) && !hasEscapes ? 'UTF-8' : legacyEncoding(body, { url: page.finalUrl ?? '' })
}

/** The encoding of a `<meta charset>` beyond the first 1,024 bytes; empty if there is none. Browsers parse such a page
 *  again. */
const lateEncoding = (body: Buffer): string =>
  sniffEncoding(body, { defaultEncoding: '', maxPrescanBytes: Number.POSITIVE_INFINITY })

/** True for UTF-8 with a few broken bytes, for example because a text was cut in the middle of a character. */
function isNearlyUtf8(body: Buffer): boolean {
  const [broken, whole] = foreignCounts(body.toString('utf8'))
  return broken * 20 <= whole
}

/** Whether the body is UTF-8 although another encoding is declared. Text in another encoding is rarely valid UTF-8 by
 *  chance. Only short texts in East Asian encodings can be valid UTF-8. */
function isUtf8DespiteLabel(body: Buffer, declared: string): boolean {
  if (isAscii(body) || !isUtf8(body)) return false
  if (!eastAsian.has(declared.toLowerCase())) return true
  return foreignCounts(body.toString('utf8'))[1] >= 10 || foreignCounts(decode(body, declared))[0] > 0
}

const eastAsian = new Set(['shift_jis', 'euc-jp', 'iso-2022-jp', 'euc-kr', 'gbk', 'gb18030', 'big5'])

/** For example, `text/html; charset="x"` returns `x`. */
function charsetLabel(contentType: string | null): string | null {
  return /;\s*charset\s*=\s*["']?([^\s"';,]+)/i.exec(contentType ?? '')?.[1] ?? null
}

const isUtf8Label = (label: string) => label === 'utf-8' || label === 'UTF-8' || /^utf-?8$/i.test(label)
const isJson = (mediaType: string) => mediaType.endsWith('/json') || mediaType.endsWith('+json')
const isHtml = (mediaType: string) =>
  mediaType === 'text/html' || mediaType === 'application/xhtml+xml' || mediaType === ''
const isXml = (mediaType: string) =>
  mediaType !== 'application/xhtml+xml' && (mediaType.endsWith('/xml') || mediaType.endsWith('+xml'))

/** True if the first byte can start a byte order mark of UTF-8 or UTF-16. */
const hasMark = (body: Buffer) => body[0] === 0xef || body[0] === 0xfe || body[0] === 0xff

/** In pages with these encodings, browsers write the queries of links in UTF-8. */
const isUnicode = (encoding: string) => encoding.startsWith('UTF-') || encoding === 'replacement'

function decode(body: Buffer, encoding: string): string {
  try {
    return decodeBytes(body, encoding)
  } catch {
    // The decoder throws for the encoding `replacement`, which the standard uses for encodings that browsers refuse.
    return decodeBytes(body, isUtf8(body) ? 'UTF-8' : 'windows-1252')
  }
}
