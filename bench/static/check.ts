// Did a crawler really get every page once, with the right fields?
import { readFileSync } from 'node:fs'
import { type Fields, fieldsOf, pathOf } from './site.ts'

type Line = Partial<Fields> & { url?: string; _page?: { url: string } }

/** A short description of the problem, or null if the output is right. */
export function problemOf(file: string, pages: number): string | null {
  const lines = readLines(file)
  const byPath = new Map(lines.map(line => [new URL(line._page?.url ?? line.url!).pathname, line]))
  if (byPath.size < pages) return `${pages - byPath.size} pages missing`
  if (lines.length > pages) return `${lines.length - pages} records too many`
  let wrong = 0
  for (let n = 0; n < pages; n++) if (!isRight(byPath.get(pathOf(n)), fieldsOf(n))) wrong++
  return wrong === 0 ? null : `${wrong} records wrong`
}

function readLines(file: string): Line[] {
  const text = readFileSync(file, 'utf8')
  return text
    .split('\n')
    .filter(line => line !== '')
    .map(line => JSON.parse(line))
}

/** The canonical URL may be relative or absolute. */
function isRight(line: Line | undefined, wanted: Fields): boolean {
  if (line === undefined) return false
  const { title, price, description, sku, canonical = '' } = line
  const isCanonical =
    canonical === wanted.canonical || (canonical.startsWith('http') && canonical.endsWith(wanted.canonical))
  return (
    title === wanted.title &&
    price === wanted.price &&
    description === wanted.description &&
    sku === wanted.sku &&
    isCanonical
  )
}
