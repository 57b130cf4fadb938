// Checks the records of a scraper against its output schema and its own `check`.
import { Failure } from '../../model/failures.ts'
import type { Page } from '../../model/page/page.ts'
import type { PageWarning } from '../../model/page/page-warning.ts'
import type { Extracted, FieldSource, Provenance, RecordData } from '../../model/record.ts'
import { fitToSchema } from '../../normalize/partial-record.ts'
import type { Scraper } from '../../scraper/define-scraper.ts'
import type { PageView } from '../../scraper/page-view.ts'
import { pageViewOf } from './scraper/page-view.ts'

/** Removes values that violate the schema. The field's provenance gets the reason. */
export function fitRecord(
  scraper: Scraper,
  record: RecordData,
  sources: Provenance,
  warnings: PageWarning[] = [],
): Extracted {
  const warned = warnings.length > 0 ? { warnings } : {}
  if (!scraper.output) return { data: record, provenance: sourcesOf(record, sources), ...warned }
  const { data, problems } = fitToSchema(record, scraper.output)
  const provenance = sourcesOf(data, sources)
  for (const { path, message } of problems) {
    const field = /^[^.[]*/.exec(path)![0]
    const wrong = path === field ? message : `${path}: ${message}`
    const before = provenance[field]?.wrong
    provenance[field] = { ...(sources[field] ?? fromScraper), wrong: before ? `${before}; ${wrong}` : wrong }
  }
  return { data, provenance, ...warned }
}

/** Checks records that rules made against the output schema and the `check` of the scraper that owns the rules. */
export function keptPromise(
  scraper: Scraper,
  extracted: Extracted[] | Promise<Extracted[]>,
  source: string,
  page: Page,
): Extracted[] | Promise<Extracted[]> {
  if (!scraper.output && !scraper.validate) return extracted
  return Promise.resolve(extracted).then(async records => {
    const fitted = records.map(({ data, provenance, warnings }) =>
      fitRecord(scraper, data, provenance, warnings),
    )
    await judgeRecords(scraper, fitted, () => pageViewOf(source, page))
    return fitted
  })
}

const fromScraper: FieldSource = { from: 'scraper' }
const notFound: FieldSource = { from: 'none', why: 'the scraper found none' }

/** The source of each field. If the scraper named no source for a field, the source is the scraper itself, or `none` for a null
 *  value. */
function sourcesOf(data: RecordData, said: Provenance): Provenance {
  const provenance: Provenance = {}
  for (const field of Object.keys(data))
    provenance[field] = said[field] ?? (data[field] === null ? notFound : fromScraper)
  return { ...said, ...provenance }
}

/** Throws if the page is clearly of another kind than the scraper parses. Returns a warning if the kind is unclear, else null. */
export function checkKind({ id, reads }: Scraper, view: PageView): PageWarning | null {
  const fit = reads?.judge(view)
  if (!reads || !fit || fit.fits === 'yes') return null
  const { found } = fit
  if (fit.fits === 'unclear')
    return {
      code: 'kind.unclear',
      message: `scraper ${id} reads ${reads.what}; the page looks like ${found}, so fields that it does not state are null`,
    }
  throw new Failure(
    'extract.wrong-page-kind',
    `${view.finalUrl}: scraper ${id} expected ${reads.what} and found ${found}`,
    { scraper: id, wanted: reads.what, found },
  )
}

/** Runs the scraper's own check of its records. `page` is called only if the scraper has a check. */
export async function judgeRecords(
  scraper: Scraper,
  extracted: Extracted[],
  page: () => PageView | null,
): Promise<void> {
  if (!scraper.validate) return
  const view = page()
  const verdict = await verdictOf(scraper, extracted, view)
  if (!verdict) return
  const { message, cause } = verdict
  const where = view ? `${view.finalUrl}: ` : ''
  throw new Failure('extract.site-changed', `${where}${message}`, { scraper: scraper.id }, { cause })
}

async function verdictOf(
  scraper: Scraper,
  extracted: Extracted[],
  view: PageView | null,
): Promise<{ message: string; cause?: unknown } | null> {
  try {
    const message = await scraper.validate!(
      extracted.map(record => record.data),
      view,
    )
    return message ? { message } : null
  } catch (error) {
    if (error instanceof Failure) throw error
    return { message: error instanceof Error ? error.message : String(error), cause: error }
  }
}
