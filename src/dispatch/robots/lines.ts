// Splits robots.txt into lines of key and value. Works on bytes as Latin-1, because rules are compared by octet.

export interface RobotsLine {
  key: 'user-agent' | 'allow' | 'disallow' | 'crawl-delay' | 'sitemap'
  value: string
  number: number
}

/** RFC 9309 requires at least 500 KiB; the rest is ignored. */
const maxBytes = 512_000
/** Eight times the longest URL browsers took; the same cut as google/robotstxt. */
const maxLineBytes = 16_664

/** Common misspellings. */
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

/** A truncated rule could mean anything ("Allow: /"), so the line at the cut is dropped. */
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

/** A missing colon is accepted if there are exactly two words. */
function splitAtSpace(content: string): [string, string] | null {
  const words = content.split(/[ \t]+/)
  return words.length === 2 ? [words[0]!, words[1]!] : null
}
