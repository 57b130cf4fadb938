// Joins the text items of a PDF page into lines. Keeps the order of the items in the file, which follows columns.
import type { PdfItem, PdfLine } from './pdf-jobs.ts'

/** The members of a pdf.js item that we use. `transform` is [a, b, c, d, x, y]. */
interface TextItem {
  str: string
  transform: number[]
  width: number
  height: number
}

export function itemOf({ str, transform, width, height }: TextItem): PdfItem {
  const [, , c = 0, d = 0, x = 0, y = 0] = transform
  return { text: str, x, y, width, size: Math.hypot(c, d) || height }
}

/** A gap wider than this share of the font size is a space. */
const spaceWidth = 0.2
/** Superscripts and subscripts are shifted by at most this share of the font size. */
const baselineShift = 0.5

export function linesOf(items: readonly PdfItem[]): PdfLine[] {
  const lines: PdfLine[] = []
  let line: OpenLine | null = null
  for (const item of items) {
    if (item.text === '' || (line === null && item.text.trim() === '')) continue
    if (line !== null && continues(line, item)) {
      append(line, item)
      continue
    }
    if (line !== null) lines.push(closed(line))
    line = item.text.trim() === '' ? null : opened(item)
  }
  if (line !== null) lines.push(closed(line))
  return lines.filter(({ text }) => text !== '')
}

interface OpenLine extends PdfLine {
  /** Number of characters by font size. A line has the size of most of its text. */
  sizes: Map<number, number>
}

const opened = (item: PdfItem): OpenLine => ({
  text: item.text,
  x: item.x,
  y: item.y,
  end: item.x + item.width,
  size: item.size,
  sizes: new Map([[item.size, item.text.trim().length]]),
})

function continues(line: OpenLine, { text, x, y, size }: PdfItem): boolean {
  if (text.trim() === '') return Math.abs(y - line.y) <= baselineShift * line.size
  const isLevel = Math.abs(y - line.y) <= baselineShift * Math.max(line.size, size)
  return isLevel && x >= line.end - Math.max(line.size, size)
}

function append(line: OpenLine, { text, x, y, width, size }: PdfItem): void {
  const isApart = x - line.end > spaceWidth * Math.min(line.size, size)
  if (isApart && !line.text.endsWith(' ') && !text.startsWith(' ')) line.text += ' '
  line.text += text
  const length = text.trim().length
  // For a space between two columns, pdf.js reports the width of the gap. Such a space must not extend the line.
  if (length === 0) return
  line.end = Math.max(line.end, x + width)
  line.sizes.set(size, (line.sizes.get(size) ?? 0) + length)
  // A raised first character must not set the baseline of the line.
  if (size > line.size) line.y = y
  line.size = Math.max(line.size, size)
}

function closed({ text, x, y, end, sizes }: OpenLine): PdfLine {
  const [[size] = [0]] = [...sizes].sort((one, other) => other[1] - one[1] || other[0] - one[0])
  return { text: text.replace(/\s+/g, ' ').trim(), x, y, end, size }
}

/** A line is a running header or footer only if at least this many pages repeat it. */
const leastRepeats = 3

/** Drops running headers, footers and page numbers: lines at the edge of a page that other pages repeat. */
export function withoutRunningLines(pages: readonly PdfLine[][]): PdfLine[][] {
  const counts = new Map<string, number>()
  for (const lines of pages)
    for (const key of new Set(edgesOf(lines).map(runningKey))) counts.set(key, (counts.get(key) ?? 0) + 1)
  const least = Math.max(leastRepeats, pages.length * 0.05)
  return pages.map((lines, index) => {
    const isRunning = (line: PdfLine): boolean =>
      (counts.get(runningKey(line)) ?? 0) >= least || (lines.length > 1 && isPageNumber(line.text, index + 1))
    const running = new Set(edgesOf(lines).filter(isRunning))
    return running.size === 0 ? lines : lines.filter(line => !running.has(line))
  })
}

function isPageNumber(text: string, number: number): boolean {
  const found =
    /^[^\p{L}\d]*(?:(?:page|p|seite|s|p[aá]gina|strona|стр)\.?\s+)?(\d+)(?:\s*(?:\/|of|von|de|di|z|из)\s*\d+)?[^\p{L}\d]*$/iu.exec(
      text,
    )
  return found !== null && Number(found[1]) === number
}

/** The two highest and the two lowest lines of a page. */
function edgesOf(lines: readonly PdfLine[]): PdfLine[] {
  const sorted = [...lines].sort((one, other) => other.y - one.y)
  return sorted.length <= 4 ? sorted : [...sorted.slice(0, 2), ...sorted.slice(-2)]
}

/** Key by which repeated lines are found. Numbers are masked, because page numbers differ. x is left out, because left
 *  and right pages often differ. */
const runningKey = ({ text, y }: PdfLine): string =>
  `${Math.round(y / 2)} ${text.replace(/\d+/g, '#').replace(/^[ivxlc]+$/i, '#')}`
