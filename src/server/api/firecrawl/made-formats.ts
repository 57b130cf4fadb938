// Formats that need more than the page: a summary (the language model) and branding (the style sheets).
import { pageBranding } from '../../../pipeline/report/page-branding.ts'
import { modelSettings } from './prepare-options.ts'
import type { Source } from './source.ts'

interface Format {
  value: unknown
  warnings: string[]
}

export async function summaryOf({ parts, job, kept }: Source, text: string): Promise<Format> {
  if (text.trim() === '') return { value: null, warnings: ['summary: the page has no text'] }
  if (!parts.model)
    return { value: null, warnings: [`summary: no language model is set up any more (${modelSettings})`] }
  const asked = { workspace: job.workspace, job: kept.kind === 'parse' ? null : job }
  const told = await parts.model.summarize(asked, text)
  return 'why' in told
    ? { value: null, warnings: [`summary: ${told.why}`] }
    : { value: told.value, warnings: [] }
}

export async function brandingOf({ parts, job, record, made }: Source): Promise<Format> {
  if (!made?.brand) return { value: null, warnings: ['branding: the page is not HTML, or it is deleted'] }
  const { branding, missing } = await pageBranding(parts, { jobId: job.id, n: record.n }, made.brand)
  const warnings = missing > 0 ? [`branding: ${missing} style sheets could not be fetched`] : []
  return { value: branding, warnings }
}
