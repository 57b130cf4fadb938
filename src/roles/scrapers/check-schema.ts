// Checks a scraper's schemas: they must refuse unknown fields, and accept null for at least one field, because pages
// may lack data.
import type { Failure } from '../../model/failures.ts'
import type { RecordData } from '../../model/record.ts'
import type { StandardSchema } from '../../model/standard-schema.ts'
import type { Scraper } from '../../scraper/define-scraper.ts'
import type { Check } from './certificates.ts'
import { expectationOf, type GoldenCase, madePage } from './golden-cases.ts'
import { answeringAll } from './replay.ts'
import { type Outcome, runOver } from './run-over.ts'

/** Tests the schemas with values, which works for the schemas of any library. */
export function checkSchema(scraper: Scraper, golden: GoldenCase[]): Check {
  const name = 'schema'
  const { input, output, rules, run } = scraper
  if (!output && rules) return { name, passed: true, note: 'its rules name the fields' }
  if (!output && !run) return { name, passed: true, note: 'the default record, whose fields are fixed' }
  if (!output) return { name, passed: false, note: 'no output schema, so any record would be accepted' }
  const [record] = recordsOf(golden)
  const wrong = [...(input ? loose(input, 'input', undefined) : []), ...loose(output, 'output', record)]
  return {
    name,
    passed: wrong.length === 0,
    note: wrong.join('; ') || `the schema of ${input ? 'input and output' : 'output'} refuses unknown fields`,
  }
}

const unknownField = '__unknown_field__'

function loose(schema: StandardSchema, side: string, sample: RecordData | undefined): string[] {
  if (accepts(schema, 'text') || accepts(schema, null))
    return [`the ${side} schema accepts values that are not records`]
  if (!sample) return []
  const value = validated(schema, { ...sample, [unknownField]: 1 })
  const letsThrough = typeof value === 'object' && value !== null && unknownField in value
  return letsThrough ? [`the ${side} schema accepts unknown fields`] : []
}

function accepts(schema: StandardSchema, value: unknown): boolean {
  const result = schema['~standard'].validate(value)
  return !(result instanceof Promise) && result.issues === undefined
}

function validated(schema: StandardSchema, value: unknown): unknown {
  const result = schema['~standard'].validate(value)
  return result instanceof Promise || result.issues ? undefined : result.value
}

const recordsOf = (golden: GoldenCase[]): RecordData[] =>
  golden.flatMap(({ folder }) => {
    const expected = expectationOf(folder)
    return expected && 'records' in expected ? expected.records : []
  })

const emptyPage = Buffer.from('<!doctype html><html><head></head><body></body></html>')

/** Runs the scraper on an empty page. It must return no record, return records with nulls, or fail with a code of `clear`. */
export async function checkNulls(scraper: Scraper, golden: GoldenCase[]): Promise<Check> {
  const name = 'nulls'
  const [first] = golden
  if (!first)
    return { name, passed: false, note: 'there is no golden page, so there is no input for the check' }
  const url = first.start.url ?? 'https://golden.example/empty'
  const page = madePage(url, emptyPage, { 'content-type': 'text/html' })
  const outcome = await runOver(scraper, first.start, answeringAll(page, 'an empty page'))
  const fault =
    faultOf(outcome) ?? (scraper.output ? allRequired(scraper.output, recordsOf(golden), outcome) : null)
  return { name, passed: fault === null, note: fault ?? meaning(outcome) }
}

/** Failures with which a scraper may refuse an empty page. Any other failure is a bug of the scraper. */
const clear = new Set<Failure['code']>([
  'extract.site-changed',
  'extract.wrong-page-kind',
  'replay.unrecorded',
  'input.invalid',
])

function faultOf({ failure, provenance }: Outcome): string | null {
  if (failure) return clear.has(failure.code) ? null : `an empty page makes it fail: ${failure.message}`
  const wrong = provenance.flatMap(fields =>
    Object.entries(fields).filter(([, source]) => source.wrong !== undefined),
  )
  if (wrong.length === 0) return null
  return `on an empty page ${wrong.map(([field]) => field).join(', ')} does not fit the output schema; make it nullable`
}

/** If the scraper does not fail on an empty page, at least one field of its output schema must allow null. */
function allRequired(output: StandardSchema, samples: RecordData[], { failure }: Outcome): string | null {
  const [sample] = samples
  if (failure || !sample) return null
  const canBeNull = Object.keys(sample).some(field => accepts(output, { ...sample, [field]: null }))
  return canBeNull ? null : 'no field of the output schema can be null'
}

function meaning({ records, failure }: Outcome): string {
  if (failure) return `an empty page is refused: ${failure.code}`
  return records.length === 0 ? 'an empty page gives no record' : 'an empty page gives a record with nulls'
}
