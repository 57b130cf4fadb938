// Converts the lines of a PDF to markdown: headings by font size, paragraphs by spacing, lists by their bullets and
// numbers.
import { escapeInline, escapeLineStart } from '../content/markdown-text.ts'
import type { PdfHeading, PdfLine } from './pdf-jobs.ts'

interface PdfBlock {
  kind: 'heading' | 'paragraph' | 'item'
  text: string
  /** 1 to 6 for headings; nesting depth from 0 for list items. */
  level: number
  /** The bullet `-`, or the number of a list item. */
  mark: string
}

/** Text that is larger than the body text by this factor is a heading. */
const headingRatio = 1.12
/** A heading has at most this many characters. Longer large text is an introduction or a slide. */
const maxHeading = 200
/** A heading has at most this many lines. Larger blocks belong to posters. */
const maxHeadingLines = 4
/** A gap larger than the usual line distance times this factor ends a paragraph. */
const paragraphGap = 1.25
/** Lines of one column start within this many points of each other. */
const columnStep = 20
const bullet = /^[•◦▪▫●○■□‣⁃∙·➢➤✓❖\uF0B7\uF0A7\u2013\u2014*-]\s*(?=\S)/u
const dash = /^[\u2013\u2014*-](?!\s)/
const numbered = /^(\d{1,3})[.)]\s+(?=\S)/
const sentenceEnd = /[.!?:;。！？…]["'”’»)\]]*$/

/** The blocks of all pages in one list, because font sizes are compared over the whole file. */
export function blocksOf(pages: readonly PdfLine[][]): PdfBlock[] {
  const type = typeOf(pages)
  const blocks: PdfBlock[] = []
  for (const lines of pages) {
    const own = new PageBlocks(lines, type).read()
    const [first] = own
    const last = blocks.at(-1)
    if (first && last && runsOn(last, first)) {
      last.text = joined(last.text, first.text)
      own.shift()
    }
    blocks.push(...own)
  }
  return blocks
}

/** True if a page break splits a sentence into these two blocks. */
const runsOn = (last: PdfBlock, first: PdfBlock): boolean =>
  last.kind !== 'heading' &&
  first.kind === 'paragraph' &&
  !sentenceEnd.test(last.text) &&
  /^\p{Ll}/u.test(first.text)

export const headingsOf = (blocks: readonly PdfBlock[]): PdfHeading[] =>
  blocks.filter(({ kind }) => kind === 'heading').map(({ level, text }) => ({ level, text }))

export function markdownOf(blocks: readonly PdfBlock[]): string {
  let markdown = ''
  let previous: PdfBlock | null = null
  for (const block of blocks) {
    if (previous) markdown += previous.kind === 'item' && block.kind === 'item' ? '\n' : '\n\n'
    markdown += written(block)
    previous = block
  }
  return markdown
}

function written({ kind, level, mark, text }: PdfBlock): string {
  if (kind === 'heading') return `${'#'.repeat(level)} ${escapeInline(text)}`
  if (kind === 'item') return `${'   '.repeat(level)}${mark} ${escapeLineStart(escapeInline(text))}`
  return escapeLineStart(escapeInline(text))
}

/** The typography of a file. */
interface FileType {
  bodySize: number
  /** Distance between two lines of a paragraph, as a multiple of the font size. */
  leading: number
  /** Heading level by font size in half points. */
  levels: ReadonlyMap<number, number>
}

const halfPoints = (size: number): number => Math.round(size * 2)

function typeOf(pages: readonly PdfLine[][]): FileType {
  const lines = pages.flat()
  const bodySize = commonest(lines.map(({ text, size }) => [halfPoints(size), text.length])) / 2
  const gaps = pages.flatMap(page =>
    page.slice(1).flatMap((line, index): Array<[number, number]> => {
      const gap = (page[index]!.y - line.y) / (line.size || 1)
      const isBody = halfPoints(line.size) === halfPoints(bodySize)
      return isBody && gap > 0.8 && gap < 2.5 ? [[Math.round(gap * 20), 1]] : []
    }),
  )
  return { bodySize, leading: commonest(gaps) / 20 || 1.2, levels: levelsOf(lines, bodySize) }
}

function commonest(weights: ReadonlyArray<readonly [value: number, weight: number]>): number {
  const sums = new Map<number, number>()
  for (const [value, weight] of weights) sums.set(value, (sums.get(value) ?? 0) + weight)
  let best = 0
  let most = -1
  for (const [value, sum] of sums)
    if (sum > most || (sum === most && value < best)) [best, most] = [value, sum]
  return best
}

/** The largest font size is level 1. Sizes within five percent of each other share a level. */
function levelsOf(lines: readonly PdfLine[], bodySize: number): Map<number, number> {
  const large = lines.filter(line => line.size > bodySize * headingRatio && isTitleText(line.text))
  const sizes = [...new Set(large.map(({ size }) => halfPoints(size)))].sort((one, other) => other - one)
  const levels = new Map<number, number>()
  let level = 0
  let top = Number.POSITIVE_INFINITY
  for (const size of sizes) {
    if (size < top * 0.95) {
      level = Math.min(level + 1, 6)
      top = size
    }
    levels.set(size, level)
  }
  return levels
}

/** False for drop caps, ornaments and large numbers. They are not headings. */
const isTitleText = (text: string): boolean =>
  text.length <= maxHeading && (text.match(/\p{L}/gu)?.length ?? 0) >= 2

/** The key of a column. It contains the font size, because notes in small print may be wider than the column. */
const columnKey = (x: number, size: number): string => `${Math.round(x / columnStep)} ${halfPoints(size)}`

class PageBlocks {
  readonly #lines: readonly PdfLine[]
  readonly #type: FileType
  /** The right edges of the columns, by column key. */
  readonly #rights = new Map<string, number>()
  readonly #blocks: PdfBlock[] = []
  /** The left edges and current numbers of open lists. */
  #lists: Array<{ x: number; number: number }> = []
  #first: PdfLine | null = null
  #last: PdfLine | null = null
  #lineCount = 0
  #dropCap = ''

  constructor(lines: readonly PdfLine[], type: FileType) {
    this.#lines = lines
    this.#type = type
    for (const { x, end, size } of lines) {
      const key = columnKey(x, size)
      this.#rights.set(key, Math.max(end, this.#rights.get(key) ?? 0))
    }
  }

  read(): PdfBlock[] {
    for (const line of this.#lines) this.#take(line)
    return this.#blocks
  }

  #take(line: PdfLine): void {
    if (/^\p{L}$/u.test(line.text) && line.size > this.#type.bodySize * 1.5) {
      this.#dropCap = line.text
      return
    }
    const text = this.#dropCap + line.text
    this.#dropCap = ''
    const level = isTitleText(text) ? this.#type.levels.get(halfPoints(line.size)) : undefined
    if (level !== undefined) this.#takeHeading(line, text, level)
    else this.#takeBody(line, text)
    this.#last = line
  }

  #takeHeading(line: PdfLine, text: string, level: number): void {
    const block = this.#blocks.at(-1)
    const isMore = block?.kind === 'heading' && block.level === level && this.#isNextLine(line, 1.8)
    this.#lists = []
    if (isMore && this.#lineCount < maxHeadingLines) {
      block.text = joined(block.text, text)
      this.#lineCount++
    } else this.#start(line, { kind: 'heading', level, mark: '', text })
  }

  #takeBody(line: PdfLine, text: string): void {
    if (bullet.test(text) && !dash.test(text)) this.#startItem(line, '-', 0, text.replace(bullet, ''))
    else if (this.#isNextNumber(line, text)) {
      const number = Number(numbered.exec(text)![1])
      this.#startItem(line, `${number}.`, number, text.replace(numbered, ''))
    } else if (this.#continuesBlock(line)) {
      const block = this.#blocks.at(-1)!
      block.text = joined(block.text, text)
      this.#lineCount++
    } else {
      if (line.x <= (this.#lists.at(-1)?.x ?? 0)) this.#lists = []
      this.#start(line, { kind: 'paragraph', level: 0, mark: '', text })
    }
  }

  #start(line: PdfLine, block: PdfBlock): void {
    this.#blocks.push(block)
    this.#first = line
    this.#lineCount = 1
  }

  #startItem(line: PdfLine, mark: string, number: number, text: string): void {
    const tolerance = line.size / 2
    if (this.#blocks.at(-1)?.kind !== 'item' && number <= 1) this.#lists = []
    while (this.#lists.length > 0 && this.#lists.at(-1)!.x > line.x + tolerance) this.#lists.pop()
    const open = this.#lists.at(-1)
    if (open && Math.abs(open.x - line.x) <= tolerance) open.number = number
    else this.#lists.push({ x: line.x, number })
    this.#start(line, { kind: 'item', level: this.#lists.length - 1, mark, text })
  }

  /** True if the number starts a list at 1 or continues one. "1999. Then" in a paragraph does neither. */
  #isNextNumber(line: PdfLine, text: string): boolean {
    const number = Number(numbered.exec(text)?.[1] ?? Number.NaN)
    if (Number.isNaN(number)) return false
    const open = this.#lists.findLast(({ x }) => Math.abs(x - line.x) <= line.size)
    return number === 1 || open?.number === number - 1
  }

  #continuesBlock(line: PdfLine): boolean {
    const block = this.#blocks.at(-1)
    const [first, last] = [this.#first, this.#last]
    if (!block || !first || !last || block.kind === 'heading') return false
    if (Math.abs(last.size - line.size) > 0.15 * Math.max(last.size, line.size)) return false
    if (!this.#isNextLine(line, this.#type.leading * paragraphGap)) return this.#isNextColumn(block, line)
    if (block.kind === 'item') return line.x > first.x + line.size / 4
    return !this.#hadRoom(last, line) && !this.#isIndented(line, last)
  }

  /** True if the first word of the line would have fitted into the previous line. Then a new paragraph starts. */
  #hadRoom(last: PdfLine, line: PdfLine): boolean {
    const word = line.text.indexOf(' ') + 1 || line.text.length
    const width = ((line.end - line.x) / line.text.length) * word
    return last.end + width + line.size < Math.max(this.#rightOf(last), this.#rightOf(line))
  }

  #rightOf({ x, size }: PdfLine): number {
    return Math.max(
      ...[-columnStep, 0, columnStep].map(step => this.#rights.get(columnKey(x + step, size)) ?? 0),
    )
  }

  /** True if the line starts a paragraph: it is indented, and the line before it ends a sentence. */
  #isIndented(line: PdfLine, last: PdfLine): boolean {
    const indent = line.x - last.x
    return indent > line.size * 0.8 && indent < line.size * 6 && sentenceEnd.test(last.text)
  }

  #isNextLine(line: PdfLine, leading: number): boolean {
    const gap = (this.#last?.y ?? Number.POSITIVE_INFINITY) - line.y
    return gap > 0 && gap <= leading * Math.max(line.size, this.#last?.size ?? 0)
  }

  /** True if the text continues at the top of the next column. */
  #isNextColumn(block: PdfBlock, line: PdfLine): boolean {
    const last = this.#last!
    return line.y > last.y && line.x > last.x && !sentenceEnd.test(block.text) && /^\p{Ll}/u.test(line.text)
  }
}

/** Joins two lines. Removes the hyphen of a word that is split at the line end. Puts a space between the
 *  lines, except in scripts that write no spaces. */
function joined(text: string, next: string): string {
  if (text.endsWith('\u00AD')) return text.slice(0, -1) + next
  if (/\p{Ll}[-‐]$/u.test(text) && /^\p{Ll}/u.test(next)) return text.slice(0, -1) + next
  const isSpaceless = ideograph.test(text.at(-1)!) && ideograph.test(next)
  return isSpaceless ? text + next : `${text} ${next}`
}

const ideograph = /^[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}、。，！？]/u
