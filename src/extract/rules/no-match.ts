// Reports which rules matched nothing, so that an empty result always has a reason.
import type { ExtractionRules } from '../../model/extraction-rules.ts'
import type { PageWarning } from '../../model/page/page-warning.ts'
import type { Extracted, FieldSource, Provenance } from '../../model/record.ts'
import type { IncompleteRecord } from './record-reader.ts'

const mostNamed = 10

/** The warning for a page without records. `read` lists its incomplete records; null if they were not collected. */
export function noRecordWarning(
  url: string,
  { each }: ExtractionRules,
  read: readonly IncompleteRecord[] | null,
): PageWarning {
  if (!read) return warning(url, 'the rules give no record')
  if (read.length === 0) return warning(url, `no record, because \`each\` (${each}) matches nothing`)
  const missing = new Map(read.flatMap(record => record.missing.map(field => [field.name, field.missing])))
  const where = read.length > 1 ? ` in any of ${read.length} rows` : ''
  return warning(url, `no record, because required fields are not found${where}: ${namesOf([...missing])}`)
}

/** Adds a warning to the first record if no record of the page has any value. */
export function warnIfEmpty(url: string, records: Extracted[]): Extracted[] {
  const [first, ...others] = records
  if (!first || !records.every(({ provenance }) => isEmpty(provenance))) return records
  const added = warning(url, `no rule matches: ${namesOf(Object.entries(first.provenance))}`)
  return [{ ...first, warnings: [...(first.warnings ?? []), added] }, ...others]
}

function isEmpty(provenance: Provenance): boolean {
  const sources = Object.values(provenance)
  return sources.length > 0 && sources.every(({ from }) => from === 'none')
}

function namesOf(fields: ReadonlyArray<readonly [name: string, source: FieldSource]>): string {
  const named = fields.slice(0, mostNamed).map(([name, { by }]) => (by ? `${name} (${by})` : name))
  const more = fields.length - named.length
  return named.join(', ') + (more > 0 ? ` and ${more} more` : '')
}

const warning = (url: string, what: string): PageWarning => ({
  code: 'extract.no-match',
  message: `${url}: ${what}; kscrape try ${quoted(url)} --extract RULES shows what each rule finds`,
})

const quoted = (url: string): string => (/^[\w:/.,@%+=~-]+$/.test(url) ? url : `'${url}'`)
