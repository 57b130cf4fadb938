// Writes the results into docs/tuning.md, each table at its marker.
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

const page = join(import.meta.dirname, '../../docs/tuning.md')

/** `figures` has a table for each marker in the page: `<!-- measured: lanes -->` up to `<!-- end -->`. */
export function writePage(figures: Map<string, string>): void {
  let text = readFileSync(page, 'utf8')
  for (const [name, table] of figures) {
    const place = new RegExp(`(<!-- measured: ${name} -->\\n).*?(<!-- end -->)`, 's')
    if (!place.test(text)) throw new Error(`docs/tuning.md has no mark <!-- measured: ${name} -->`)
    text = text.replace(place, (_all, start: string, end: string) => `${start}\n${table}\n\n${end}`)
  }
  writeFileSync(page, text)
}
