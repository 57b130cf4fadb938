// Chooses the parser of a response that is not HTML: by its content type, or by its first bytes.

type BodyFormat = 'pdf' | 'text' | 'download'

/** Types that servers use for unknown content. */
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

/** Servers send RSS and Atom as HTML, as a download or without a type. The root element decides. */
export function looksLikeFeed(body: Uint8Array): boolean {
  const start = Buffer.from(body.subarray(0, 2_048)).toString('latin1')
  return feedStart.test(start)
}

/** Up to the root element: a byte order mark, the XML declaration, processing instructions and comments. */
const feedStart =
  /^(?:\xEF\xBB\xBF)?\s*(?:<\?[^>]*>\s*|<!--(?:(?!-->)[\s\S])*-->\s*)*<(?:rss[\s>]|rdf:RDF[\s>]|(?:atom:)?feed\s[^>]*xmlns)/i

/** Has no byte that text cannot have, within the checked part. */
const looksLikeText = (body: Uint8Array): boolean =>
  body.subarray(0, 1_024).every(byte => byte >= 32 || (byte >= 9 && byte <= 13) || byte === 27)
