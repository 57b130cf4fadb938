// The pages that extraction is measured on: shop pages of 18 KB, and long ones of 200 KB.
import { pageHtml } from '../static/site.ts'

const siteSize = 20_000
const mainPart = /<article[\s\S]*<\/article>/
/** How many articles make a page of 200 KB. */
const articles = 16

/** Decoded from bytes, as a fetch returns them, so that each page is one flat string. */
const flat = (html: string): string => Buffer.from(html).toString()

export const shopPage = (n: number): string => flat(pageHtml(n, siteSize))

/** One page that contains the articles of several pages. */
export function longPage(n: number): string {
  const others = Array.from(
    { length: articles },
    (_, index) => mainPart.exec(pageHtml(n + index, siteSize))![0],
  )
  return flat(pageHtml(n, siteSize).replace(mainPart, () => others.join('\n')))
}
