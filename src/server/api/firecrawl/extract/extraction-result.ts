// The result of an extraction: the fields of all its pages, joined when the job has ended.
import { Failure } from '../../../../model/failures.ts'
import { hasEnded, type Job } from '../../../../model/job.ts'
import { documentOf } from '../document.ts'
import { modelSettings } from '../prepare-options.ts'
import type { DocumentParts } from '../source.ts'
import { recordsAfter, statusOf } from '../status.ts'
import type { Extraction, StoredRequest } from '../stored-request.ts'
import { hasValue, inShape, mergeFields, type PageFields } from './merge-fields.ts'

export interface ExtractionResult {
  status: 'processing' | 'completed' | 'failed' | 'cancelled'
  data: unknown
  sources: Record<string, string[]>
  warnings: string[]
  error: string | null
}

export function extractionOf({ id }: Pick<Job, 'id'>, { extraction }: StoredRequest): Extraction {
  if (extraction) return extraction
  throw new Failure('job.unknown', `job "${id}" is not an extraction`, { jobId: id })
}

export async function extractionResult(
  parts: DocumentParts,
  job: Job,
  kept: StoredRequest,
): Promise<ExtractionResult> {
  const { schema, warnings } = extractionOf(job, kept)
  const none = { data: Array.isArray(inShape(schema, {})) ? [] : {}, sources: {}, warnings, error: null }
  if (!hasEnded(job.state)) return { ...none, status: 'processing' }
  if (statusOf(job) === 'cancelled') return { ...none, status: 'cancelled', error: 'the job was cancelled' }
  const pages = await pageFields(parts, job, kept)
  if (pages.length === 0) return { ...none, status: 'failed', error: await whyNothing(parts, job) }
  const { fields, sources } = mergeFields(pages)
  const lacking = Object.keys(fields).filter(name => !hasValue(fields[name]))
  const hasModel = job.spec.extract !== undefined
  if (lacking.length === Object.keys(fields).length && !hasModel)
    return { ...none, status: 'failed', error: nothingWithoutModel }
  const notes = lacking.length > 0 ? [lackingFields(lacking, hasModel)] : []
  return {
    ...{ status: 'completed', data: inShape(schema, fields), sources, error: null },
    warnings: [...warnings, ...notes],
  }
}

const nothingWithoutModel = `the structured data of the pages has none of the fields, and no language model is set up; the operator sets ${modelSettings}`

const lackingFields = (names: readonly string[], hasModel: boolean): string =>
  `${names.join(', ')}: ${
    hasModel
      ? 'neither the pages nor the model have a value'
      : `the structured data of the pages has no value, and no language model is set up (${modelSettings})`
  }`

/** The fields of each page. Error pages are left out, because they do not have the requested data. */
async function pageFields(parts: DocumentParts, job: Job, kept: StoredRequest): Promise<PageFields[]> {
  const pages: PageFields[] = []
  for await (const record of recordsAfter(parts, job.id, 0)) {
    if (record.status >= 400) continue
    const { json } = await documentOf(parts, job, kept, record)
    if (json) pages.push({ url: record.finalUrl, fields: json as Record<string, unknown> })
  }
  return pages
}

async function whyNothing({ store }: DocumentParts, job: Job): Promise<string> {
  const [failed] = await store.tasks.failed(job.id, { after: 0, limit: 1 })
  if (failed) return failed.message ?? `${failed.url} could not be fetched`
  const [skipped] = await store.tasks.list(job.id, { states: ['skipped'], limit: 1 })
  return skipped ? `${skipped.url}: ${skipped.message ?? skipped.reason}` : 'no page could be read'
}
