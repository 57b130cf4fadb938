// Detects the encoding of a page that declares none and is not UTF-8. The page's language and host limit the
// candidates. Letter statistics choose one of them.
import { createRequire } from 'node:module'
import { decodeBytes } from './encodings.ts'

/** Facts about the page that help the detection. */
interface EncodingHints {
  /** The URL of the page. Its top-level domain suggests a language. */
  url: string
}

/** Only this many bytes from the start of a page are checked. */
const maxSampleBytes = 512 * 1024

/** Names of the Encoding Standard, in lower case. */
const latinScript = [
  'windows-1252',
  'windows-1250',
  'iso-8859-2',
  'windows-1254',
  'windows-1257',
  'windows-1258',
]
const otherScripts = [
  'windows-1251',
  'koi8-u',
  'iso-8859-5',
  'ibm866',
  'windows-1253',
  'windows-1255',
  'windows-1256',
  'iso-8859-6',
  'windows-874',
]
const multiByte = ['shift_jis', 'euc-jp', 'euc-kr', 'gb18030', 'big5']

/** The most likely encoding. Never returns UTF-8. The fallback is windows-1252, as in browsers. */
export function legacyEncoding(body: Buffer, { url }: EncodingHints): string {
  const source = body.toString('latin1', 0, maxSampleBytes)
  if (hasJapaneseEscapes(source)) return 'iso-2022-jp'
  const text = withoutMarkup(source)
  const bytes = Buffer.from(text, 'latin1')
  const readable = multiByte.filter(encoding => fits(bytes, encoding))
  const japanese = readable.find(encoding => isMostlyKana(bytes, encoding))
  if (japanese !== undefined) return japanese
  const candidates = hinted([...singleByteCandidates(text), ...readable], source, url)
  return candidates.length === 1 ? candidates[0]! : guess(bytes, candidates)
}

/** ISO-2022-JP switches between character sets with these sequences. */
const hasJapaneseEscapes = (source: string): boolean =>
  source.includes('\x1b$B') || source.includes('\x1b$@') || source.includes('\x1b(J')

/** Removes markup, because it is ASCII and would outweigh a short text. */
function withoutMarkup(source: string): string {
  const texts: string[] = []
  const lower = source.toLowerCase()
  for (let start = 0; start < source.length; ) {
    const open = source.indexOf('<', start)
    texts.push(source.slice(start, open === -1 ? source.length : open))
    start = open === -1 ? source.length : endOfMarkup(lower, open)
  }
  const text = texts.join(' ')
  return (/[\x80-\xff]/.test(text) ? text : source).replace(/&#?\w+;|\s+/g, ' ')
}

/** Position after the tag, comment, script or style sheet that starts at `open`. Returns the end of the source if that
 *  markup is not closed. */
function endOfMarkup(source: string, open: number): number {
  const tag = source.slice(open, open + 8)
  const close = tag.startsWith('<!--')
    ? '-->'
    : tag.startsWith('<script')
      ? '</script'
      : tag.startsWith('<style')
        ? '</style'
        : '>'
  const found = source.indexOf(close, open + 1)
  return found === -1 ? source.length : found + (close.startsWith('<') ? 0 : close.length)
}

/** Whether the bytes are valid in this encoding. A few broken bytes are allowed, because old pages have them. */
function fits(bytes: Buffer, encoding: string): boolean {
  const [broken, whole] = foreignCounts(decodeBytes(bytes, encoding))
  return broken * 100 <= whole
}

/** Numbers of broken and of valid characters beyond ASCII. */
export function foreignCounts(text: string): [broken: number, whole: number] {
  let broken = 0
  let whole = 0
  for (let index = 0; index < text.length; index++) {
    const code = text.charCodeAt(index)
    if (code === 0xfffd) broken++
    else if (code > 0x7f) whole++
  }
  return [broken, whole]
}

/** Whether the text is mostly kana, which proves Japanese. Other East Asian encodings contain kana too, but their texts
 *  rarely use it. */
function isMostlyKana(bytes: Buffer, encoding: string): boolean {
  if (encoding !== 'shift_jis' && encoding !== 'euc-jp') return false
  const text = decodeBytes(bytes, encoding)
  const kana = text.match(/[\u3041-\u30fe]/g)?.length ?? 0
  return kana >= 3 && kana * 5 >= foreignCounts(text)[1] * 2
}

/** Distinguishes Latin from other scripts, for single-byte encodings. In Latin scripts, words mix ASCII and non-ASCII
 *  letters. In other scripts, words have no ASCII letters. */
function singleByteCandidates(text: string): string[] {
  let mixed = 0
  let foreign = 0
  for (const [word] of text.matchAll(/[a-z\x80-\xff]*[\x80-\xff][a-z\x80-\xff]*/gi)) {
    const high = word.replace(/[a-z]+/gi, '')
    // One or two bytes below C0 are symbols in most encodings, such as quotes, © and ».
    if (high.length < 3 && !/[\xc0-\xff]/.test(high)) continue
    if (high.length < word.length) mixed++
    else if (word.length > 1) foreign++
  }
  if (foreign > mixed) return otherScripts
  return mixed > foreign || foreign === 0 ? latinScript : [...latinScript, ...otherScripts]
}

/** The candidates that match the page's language or the country of its host. All candidates if none matches. */
function hinted(candidates: string[], source: string, url: string): string[] {
  const language = /<html\b[^>]*?\slang\s*=\s*["']?([a-z]{2})/i.exec(source)?.[1]?.toLowerCase()
  const country = /\.([a-z]{2})$/.exec(URL.parse(url)?.hostname ?? '')?.[1]
  for (const hint of [languages[language ?? ''], countries[country ?? '']]) {
    const fitting = candidates.filter(encoding => hint?.includes(encoding))
    if (fitting.length > 0) return fitting
  }
  return candidates
}

const western = ['windows-1252']
const central = ['windows-1250', 'iso-8859-2']
const cyrillic = ['windows-1251', 'koi8-u', 'iso-8859-5', 'ibm866']
const greek = ['windows-1253']
const arabic = ['windows-1256', 'iso-8859-6']
const baltic = ['windows-1257']
const japanese = ['shift_jis', 'euc-jp']
const chinese = ['gb18030', 'big5']

const table = (...rows: [names: string, encodings: string[]][]): Record<string, string[]> =>
  Object.fromEntries(rows.flatMap(([names, encodings]) => names.split(' ').map(name => [name, encodings])))

/** English is missing, because templates have `lang="en"` around text in any language. */
const languages = table(
  ['de fr es it nl sv da no nb nn fi pt is ga ca eu gl', western],
  ['pl cs sk hu sl hr bs ro sq', central],
  ['ru uk be bg mk sr kk ky mn', cyrillic],
  ['el', greek],
  ['he iw yi', ['windows-1255']],
  ['ar fa ur', arabic],
  ['th', ['windows-874']],
  ['tr az', ['windows-1254']],
  ['lt lv et', baltic],
  ['vi', ['windows-1258']],
  ['ja', japanese],
  ['ko', ['euc-kr']],
  ['zh', chinese],
)

const countries = table(
  ['de at fr es it nl se dk no fi pt is ie br mx ar cl uk', western],
  ['pl cz sk hu si hr ba ro al', central],
  ['ru su ua by bg mk kz kg mn', cyrillic],
  ['gr cy', greek],
  ['il', ['windows-1255']],
  ['sa ae eg ir iq jo kw lb ma qa sy', arabic],
  ['th', ['windows-874']],
  ['tr az', ['windows-1254']],
  ['lt lv ee', baltic],
  ['vn', ['windows-1258']],
  ['jp', japanese],
  ['kr', ['euc-kr']],
  ['cn tw hk', chinese],
)

type Detector = typeof import('jschardet').chardet
let detector: Detector | undefined

/** The detector's model takes 25 MB and few pages need it. So it is loaded on first use. */
function guess(bytes: Buffer, candidates: string[]): string {
  detector ??= (createRequire(import.meta.url)('jschardet') as { chardet: Detector }).chardet
  const names = candidates.map(encoding => detectorNames[encoding] ?? encoding)
  const [first = ''] = names
  const options = { includeEncodings: names, noMatchEncoding: first, emptyInputEncoding: first }
  const found = detector.detect(bytes, options).encoding?.toLowerCase() ?? first
  return candidates[Math.max(0, names.indexOf(found))]!
}

/** The detector's names of these encodings. The detector knows only these supersets, which browsers also use for the
 *  standard names on the left. */
const detectorNames: Record<string, string> = {
  shift_jis: 'cp932',
  'euc-kr': 'cp949',
  'windows-874': 'cp874',
}
