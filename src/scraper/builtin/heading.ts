// Finds the heading of the main content among the lines of a page.
import type { Line } from '../../model/page/line.ts'
import type { PageView } from '../page-view.ts'

/** Letters and digits in lower case, for comparing titles. */
export const plainTitle = (text: string): string =>
  text
    .normalize('NFKC')
    .toLowerCase()
    .replace(/[^\p{L}\p{N}]+/gu, ' ')
    .trim()

/** The index of the heading. In this order: an `h1` that occurs in the title, another heading that is most of the title, the
 *  first `h1`, a line that equals the title. -1 if there is none. */
export function headingIndex(page: PageView, lines: Line[]): number {
  const titles = [page.meta('og:title', 'twitter:title'), page.text('title')].map(title =>
    plainTitle(title ?? ''),
  )
  const best = (may: RegExp) => {
    const found = { index: -1, share: -1 }
    for (const [index, { block, isBeside, text }] of lines.entries()) {
      if (isBeside || text.length > longestTitle || !may.test(block)) continue
      const share = shareOf(plainTitle(text), titles)
      if (share > found.share) Object.assign(found, { index, share })
    }
    return found
  }
  const first = best(/^h1$/)
  if (first.share > 0) return first.index
  const other = best(/^h[2-4]$/)
  if (other.share > 0.4) return other.index
  if (first.index !== -1) return first.index
  const line = best(/^(?!option$)/)
  return line.share > 0.6 ? line.index : -1
}

const longestTitle = 300

/** The share of a title that the line covers, from 0 to 1. It is 0 if the title does not contain the line. */
function shareOf(plain: string, titles: string[]): number {
  if (plain.length < 4) return 0
  const shares = titles.map(title => {
    if (title === '') return 0
    if (title.includes(plain)) return plain.length / title.length
    return plain.includes(title) ? title.length / plain.length : 0
  })
  return Math.max(...shares)
}
