// The record of a response that is not HTML: the keys of the default record and those of the format.
import type { Extracted, FieldSource, Provenance, RecordData } from '../../model/record.ts'
import type { PageNotes } from '../default-record.ts'

const fromPage: FieldSource = { from: 'page' }

/** `whys` contains the reasons for missing values, by key. */
export function otherRecord(
  page: PageNotes,
  found: RecordData,
  whys: Readonly<Record<string, string>> = {},
): Extracted {
  const data: RecordData = {
    url: page.url,
    final_url: page.finalUrl,
    status: page.status,
    title: null,
    page_kind: null,
    canonical: null,
    description: null,
    language: null,
    headings: [],
    text: null,
    markdown: null,
    links: [],
    structured_data: null,
    ...found,
    fetched_at: new Date(page.fetchedAt).toISOString(),
  }
  const provenance: Provenance = {}
  for (const key of Object.keys(data))
    provenance[key] =
      data[key] === null ? { from: 'none', why: whys[key] ?? 'the page does not state it' } : fromPage
  return { data, provenance }
}
