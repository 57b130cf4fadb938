// Splits robots.txt into lines of key and value. Works on bytes as Latin-1, because rules are compared by octet.

export interface RobotsLine {
  key: 'user-agent' | 'allow' | 'disallow' | 'crawl-delay' | 'sitemap'
  value: string
  number: number
}

/** How much of the file is parsed; the rest is ignored. RFC 9309 requires at least 500 KiB. */
const maxBytes = 512_000
/** Longer lines are cut. The limit is that of google/robotstxt: eight times the longest URL that browsers accepted. */
const maxLineBytes = 16_664

/** The keys, including common misspellings. */
const keys = new Map<string, RobotsLine['key']>([
  ...(['user-agent', 'useragent', 'user agent'] as const).map(key => [key, 'user-agent'] as const),
  ...(['disallow', 'dissallow', 'dissalow', 'disalow', 'diasllow', 'disallaw'] as const).map(
    key => [key, 'disallow'] as const,
  ),
  ['allow', 'allow'],
  ['crawl-delay', 'crawl-delay'],
  ['crawldelay', 'crawl-delay'],
  ['sitemap', 'sitemap'],
  ['site-map', 'sitemap'],
])

export function readLines(body: string | Buffer): RobotsLine[] {
  const lines: RobotsLine[] = []
  const texts = cutToSize(bytesOf(body)).split(/\r\n|\n|\r/)
  for (const [index, text] of texts.entries()) {
    const line = parseLine(text.slice(0, maxLineBytes), index + 1)
    if (line !== null) lines.push(line)
  }
  return lines
}

function bytesOf(body: string | Buffer): string {
  const bytes = typeof body === 'string' ? Buffer.from(body) : body
  if (bytes[0] === 0xff && bytes[1] === 0xfe)
    return Buffer.from(bytes.toString('utf16le', 2)).toString('latin1')
  return bytes.toString('latin1', 0, maxBytes + 1).replace(/^\xef\xbb?\xbf?/, '')
}

/** Cuts the text to the size limit. The last, cut line is dropped, because a cut rule may mean something else ("Allow: /"). */
function cutToSize(text: string): string {
  if (text.length <= maxBytes) return text
  const cut = text.slice(0, maxBytes)
  return cut.slice(0, Math.max(cut.lastIndexOf('\n'), cut.lastIndexOf('\r')))
}

function parseLine(text: string, number: number): RobotsLine | null {
  const comment = text.indexOf('#')
  const content = (comment < 0 ? text : text.slice(0, comment)).trim()
  const pair = splitAtColon(content) ?? splitAtSpace(content)
  const key = pair === null ? undefined : keys.get(pair[0].trim().toLowerCase())
  return pair === null || key === undefined ? null : { key, value: pair[1].trim(), number }
}

function splitAtColon(content: string): [string, string] | null {
  const colon = content.indexOf(':')
  return colon < 0 ? null : [content.slice(0, colon), content.slice(colon + 1)]
}

/** Splits a line without a colon. This is accepted only if the line has exactly two words. */
function splitAtSpace(content: string): [string, string] | null {
  const words = content.split(/[ \t]+/)
  return words.length === 2 ? [words[0]!, words[1]!] : null
}
