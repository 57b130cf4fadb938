// Steps that read from the page: records, values, screenshots, files.

import type { Download, Page } from 'playwright-core'
import { defined } from '../../../lib/defined.ts'
import type { ExtractionRules } from '../../../model/extraction-rules.ts'
import { Failure } from '../../../model/failures.ts'
import type { ActionOf } from '../../../model/page/actions.ts'
import type { Json } from '../../../model/record.ts'
import { fillIn } from '../fill-in.ts'
import type { ActionRun, Step } from '../run.ts'
import { elementOf, frameOf, pageOf } from '../step-targets.ts'
import type { StepTable } from './step-table.ts'

export const readingSteps: StepTable<'extract' | 'evaluate' | 'screenshot' | 'pdf' | 'download'> = {
  extract: async (run, action) => {
    const frame = await frameOf(run, action)
    const html = await run.bounded(frame.content())
    const { extract, redactor } = run.parts
    const records = await run.bounded(Promise.resolve(extract(html, frame.url(), rulesOf(action))))
    run.extracted = [...(run.extracted ?? []), ...records.map(record => redactor.json(record))]
  },
  evaluate: async (run, action) => {
    const value = await run.evaluate(await frameOf(run, action), action.script)
    if (action.as !== undefined) run.values[action.as] = (value ?? null) as Json
  },
  screenshot: async (run, action, step) => {
    const { selector, selectors, within, fullPage, quality } = action
    const timeout = action.timeoutMs ?? run.plan.navigationMs
    const picture = quality === undefined ? {} : ({ type: 'jpeg', quality } as const)
    const hasPlace = selector !== undefined || selectors !== undefined || within !== undefined
    const shot = hasPlace
      ? (await elementOf(run, step, action)).screenshot({ timeout, ...picture })
      : (await pageOf(run, action)).screenshot({ fullPage, timeout, ...picture })
    const [fileName, type] = quality === undefined ? pngFile : jpegFile
    run.keep('screenshot', fileName, type, await run.bounded(shot))
  },
  pdf: async (run, action) => {
    const page = await pageOf(run, action)
    const { format, landscape, scale } = action
    const paper = defined({ format, landscape, scale })
    const file = await run.bounded(page.pdf({ printBackground: true, ...paper }))
    run.keep('pdf', 'page.pdf', 'application/pdf', file)
  },
  // The browser context stores the file, as it does for every download.
  download: async (run, action, step) => {
    const page = await pageOf(run, action)
    const download = await started(run, action, step, page)
    await run.bounded(run.parts.downloadKept(download)).catch(error => {
      throw tooLarge(error, step) ?? error
    })
  },
}

const pngFile = ['screenshot.png', 'image/png'] as const
const jpegFile = ['screenshot.jpg', 'image/jpeg'] as const

const rulesOf = ({ each, fields }: ActionOf<'extract'>): ExtractionRules | null =>
  fields ? { fields, ...(each !== undefined && { each }) } : null

async function started(
  run: ActionRun,
  action: ActionOf<'download'>,
  step: Step,
  page: Page,
): Promise<Download> {
  const timeout = action.timeoutMs ?? run.plan.navigationMs
  const begun = page.waitForEvent('download', { timeout })
  begun.catch(() => {})
  if (action.url === undefined) await run.bounded((await elementOf(run, step, action)).click({ timeout }))
  else await run.bounded(goThere(page, await fillIn(run, step, action.url), timeout))
  return run.bounded(begun)
}

/** A download that is too large keeps its failure code, unlike other step failures, because the code tells the user to
 *  raise `max_bytes`. */
const tooLarge = (error: unknown, { path }: Step): Failure | null =>
  error instanceof Failure && error.code === 'download.too-large'
    ? new Failure(error.code, `${path}: ${error.message}`, { ...error.details, path })
    : null

/** Starts a download by navigation. Such a navigation ends with an error, which is ignored here. */
async function goThere(page: Page, url: string, timeout: number): Promise<void> {
  const target = URL.parse(url, page.url())
  if (!target || !/^https?:$/.test(target.protocol)) throw new Error(`"${url}" is not an http or https URL`)
  await page.goto(target.href, { timeout }).catch(error => {
    if (!/Download is starting|ERR_ABORTED/.test(String(error))) throw error
  })
}
