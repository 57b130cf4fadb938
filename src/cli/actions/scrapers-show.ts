// The actions of `scrapers list`, `show` and `new`.

import { relative } from 'node:path'
import { loadSettings } from '../../config/load.ts'
import type { JsonObject } from '../../model/json.ts'
import type { Json } from '../../model/record.ts'
import { openCatalogue } from '../../roles/scrapers/catalogue.ts'
import { readCertificates, type Standing, standingOf } from '../../roles/scrapers/certificates.ts'
import { describeScraper, type SchemaText } from '../../roles/scrapers/describe.ts'
import { newScraper } from '../../roles/scrapers/new-scraper.ts'
import type { CommonFlags } from '../flags/flags.ts'
import { print, printJson } from '../print.ts'
import { table } from '../show/job-tables.ts'
import { safe, talkOn } from '../talk.ts'
import { filesIn, trustOwnFolder } from '../trust-folder.ts'

export async function listScrapers(flags: CommonFlags): Promise<void> {
  const catalogue = await openCatalogue((await loadSettings()).root)
  const certificates = readCertificates(catalogue.folder)
  const rows = catalogue.entries.map(entry => {
    const { id, version, name, description } = entry.scraper
    const certified = standingOf(catalogue.folder, entry, certificates[id])
    return { id, version, name, description, from: fromText(entry.file), certified }
  })
  for (const { file, failure } of catalogue.broken)
    if (flags.json) printJson({ from: fromText(file), problem: failure.message })
    else process.stderr.write(`kscrape: ${safe(failure.message)}; jobs with other scrapers still run\n`)
  if (flags.json) for (const row of rows) printJson(row)
  else print(table(['scraper', 'version', 'from', 'certified', 'description'], rows.map(rowText)))
}

const fromText = (file: string | null): string => (file === null ? 'built in' : relative(process.cwd(), file))

const rowText = (
  row: Record<'id' | 'version' | 'from' | 'description', string> & { certified: Standing },
): string[] => [row.id, row.version, row.from, standingTexts[row.certified], safe(row.description)]

const standingTexts: Record<Standing, string> = {
  certified: 'yes',
  failed: 'no: checks failed',
  lapsed: 'no: changed since',
  never: 'not yet',
  'built-in': '-',
}

export async function showScraper(id: string, flags: CommonFlags): Promise<void> {
  const catalogue = await openCatalogue((await loadSettings()).root)
  const entry = catalogue.get(id)
  const certificate = readCertificates(catalogue.folder)[id]
  const about = { ...describeScraper(entry), from: fromText(entry.file) }
  const standing = standingOf(catalogue.folder, entry, certificate)
  if (flags.json) return printJson({ ...about, certified: standing, ...(certificate && { certificate }) })
  print(`${about.id}@${about.version}  ${safe(about.name)}`)
  if (about.description) print(`  ${safe(about.description)}`)
  print(`  from       ${about.from} (${about.how})`)
  print(`  certified  ${standingTexts[standing]}`)
  for (const check of certificate?.checks ?? [])
    print(`    ${check.passed ? '✔' : '✗'} ${check.name}: ${check.note}`)
  showSchema('input', about.input, 'a URL')
  showSchema('output', about.output, about.rules ? 'the fields of its rules' : 'whatever it emits')
  print(
    `  policy     ${Object.keys(about.policy as object).length > 0 ? JSON.stringify(about.policy) : 'the defaults'}`,
  )
  if (about.rules) print(`  rules\n${about.rules.trimEnd().replace(/^/gm, '    ')}`)
}

function showSchema(side: string, schema: SchemaText | null, without: string): void {
  print(`  ${side.padEnd(10)} ${schema ? `a schema of ${schema.library}` : without}`)
  const fields = schema ? fieldsOf(schema.shape) : []
  const width = Math.max(0, ...fields.map(([name]) => name.length))
  for (const [name, text] of fields) print(`    ${name.padEnd(width)}  ${text}`)
}

/** One line per field. Nested fields are printed as JSON Schema. Empty if the schema library has no JSON Schema. */
export function fieldsOf(shape: Json): Array<[string, string]> {
  if (shape === null) return []
  const { properties, required } = shape as { properties?: JsonObject; required?: string[] }
  if (!properties) return [['', JSON.stringify(shape)]]
  return Object.entries(properties).map(([name, field]) => [
    name,
    `${typeText(field as JsonObject)}${required?.includes(name) ? '' : ', optional'}`,
  ])
}

function typeText(field: JsonObject): string {
  const { type, anyOf, items, description, ...rest } = field
  const kinds = Array.isArray(anyOf) ? anyOf.map(one => typeText(one as JsonObject)) : [type ?? 'any'].flat()
  const of = items ? ` of ${typeText(items as JsonObject)}` : ''
  const rules = Object.entries(rest).filter(
    ([, value]) => Math.abs(Number(value)) !== Number.MAX_SAFE_INTEGER,
  )
  const more = rules.length > 0 ? ` ${JSON.stringify(Object.fromEntries(rules))}` : ''
  return `${kinds.join(' | ')}${of}${more}${description ? `: ${description}` : ''}`
}

export async function writeScraper(name: string, flags: CommonFlags): Promise<void> {
  // This command writes files and loads none, so the folder need not be trusted.
  const root = process.cwd()
  const held = filesIn(root)
  const files = (await newScraper(root, name)).map(file => relative(process.cwd(), file))
  trustOwnFolder(root, held)
  if (flags.json) return printJson({ id: name, files })
  const talk = talkOn(process.stderr, flags)
  for (const file of files) talk.say(`wrote ${file}`)
  talk.say(`try it: kscrape scrapers test ${name}`)
}
