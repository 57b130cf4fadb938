// Chooses the parser of a response that is not HTML, by its content type or its first bytes.

type BodyFormat = 'pdf' | 'text' | 'download'

/** Content types that servers use for unknown content. */
const unknownTypes = new Set([
  '',
  'application/octet-stream',
  'binary/octet-stream',
  'application/x-download',
])
const pdfTypes = new Set(['application/pdf', 'application/x-pdf'])
const textTypes =
  /^(?:text\/.*|application\/(?:json|jsonl|ndjson|x-ndjson|xml|javascript|yaml|toml|csv|[\w.-]+\+(?:json|xml|yaml)))$/

export function formatOf(type: string, body: Uint8Array): BodyFormat {
  if (pdfTypes.has(type)) return 'pdf'
  if (textTypes.test(type)) return 'text'
  if (unknownTypes.has(type)) return guessed(type, body)
  return 'download'
}

function guessed(type: string, body: Uint8Array): BodyFormat {
  if (Buffer.from(body.subarray(0, 5)).toString('latin1') === '%PDF-') return 'pdf'
  if (looksLikeFeed(body)) return 'text'
  return type === '' && looksLikeText(body) ? 'text' : 'download'
}

/** True if the root element is that of a feed. Servers often send RSS and Atom as HTML, as a download or without a
 *  type. */
export function looksLikeFeed(body: Uint8Array): boolean {
  if (!mayBeFeed(body)) return false
  const start = Buffer.from(body.subarray(0, 2_048)).toString('latin1')
  return feedStart.test(start)
}

/** A fast check that creates no string. False for almost every HTML page. True for every body that
 *  `feedStart` matches. */
function mayBeFeed(body: Uint8Array): boolean {
  let at = body[0] === 0xef ? 3 : 0
  while (at < 2_048 && isSpace(body[at])) at++
  if (body[at] !== lessThan) return false
  const next = body[at + 1]
  return next === exclamation ? body[at + 2] === dash : firstOfFeed.has(next)
}

const lessThan = 0x3c
const exclamation = 0x21
const dash = 0x2d
/** The character after `<` at the start of a feed: `?` of an instruction, or the first letter of a root
 *  element. */
const firstOfFeed: ReadonlySet<number | undefined> = new Set(Buffer.from('?rRfFaA'))

const isSpace = (byte: number | undefined): boolean =>
  byte !== undefined && (byte === 0x20 || byte === 0xa0 || (byte >= 0x09 && byte <= 0x0d))

/** The start of a feed: byte order mark, XML declaration, processing instructions and comments, then the root element. */
const feedStart =
  /^(?:\xEF\xBB\xBF)?\s*(?:<\?[^>]*>\s*|<!--(?:(?!-->)[\s\S])*-->\s*)*<(?:rss[\s>]|rdf:RDF[\s>]|(?:atom:)?feed\s[^>]*xmlns)/i

/** True if every byte of the first kilobyte can occur in text. */
const looksLikeText = (body: Uint8Array): boolean =>
  body.subarray(0, 1_024).every(byte => byte >= 32 || (byte >= 9 && byte <= 13) || byte === 27)
