// A page's bytes as text: byte order mark, then header, then what the document says of itself, then UTF-8.
import { isUtf8 } from 'node:buffer'
import sniffEncoding from 'html-encoding-sniffer'
import { headerOf, mediaTypeOf, type Page } from '../../model/page.ts'

/** Never throws: bytes that do not fit the charset become U+FFFD, as in a browser. */
export function decodeText(page: Page): string {
  const { body } = page
  const label = charsetLabel(headerOf(page.headers, 'content-type'))
  // Nearly every page: said to be UTF-8, and no mark that says otherwise.
  if (label !== null && isUtf8Label(label) && !hasMark(body)) return body.toString('utf8')
  return decode(body, encodingOf(page, label))
}

function encodingOf(page: Page, label: string | null): string {
  const { body } = page
  const mediaType = mediaTypeOf(page.headers)
  const options = {
    // Undeclared text is UTF-8 when it can be; what cannot be is old and western far more often than not.
    defaultEncoding: isUtf8(body) ? 'UTF-8' : 'windows-1252',
    ...(label !== null && { transportLayerEncodingLabel: label }),
  }
  if (isJson(mediaType)) return sniffEncoding(body.subarray(0, 4), { ...options, defaultEncoding: 'UTF-8' })
  if (isXml(mediaType)) return sniffEncoding(body, { ...options, xml: true })
  const seen = mediaType === 'text/plain' ? body.subarray(0, 4) : body
  return sniffEncoding(seen, options)
}

/** `text/html; charset="x"` → `x`. */
function charsetLabel(contentType: string | null): string | null {
  return /;\s*charset\s*=\s*["']?([^\s"';,]+)/i.exec(contentType ?? '')?.[1] ?? null
}

const isUtf8Label = (label: string) => label === 'utf-8' || label === 'UTF-8' || /^utf-?8$/i.test(label)
const isJson = (mediaType: string) => mediaType.endsWith('/json') || mediaType.endsWith('+json')
const isXml = (mediaType: string) =>
  mediaType !== 'application/xhtml+xml' && (mediaType.endsWith('/xml') || mediaType.endsWith('+xml'))

/** A byte order mark of UTF-8 or UTF-16 starts with one of these. */
const hasMark = (body: Buffer) => body[0] === 0xef || body[0] === 0xfe || body[0] === 0xff

function decode(body: Buffer, encoding: string): string {
  try {
    return new TextDecoder(encoding).decode(body)
  } catch {
    // Names of the standard that Node's ICU lacks (`replacement`).
    return new TextDecoder(isUtf8(body) ? 'utf-8' : 'windows-1252').decode(body)
  }
}
