// Scrapes one page: a job with one task, whose record is printed in the chosen format.

import type { Job } from '../../model/job.ts'
import { entryMarkdown, entryText, isFeedEntry } from '../../model/page/feed-records.ts'
import { timeouts } from '../../model/policy/policy.ts'
import { renderModeOf } from '../../model/policy/render-mode.ts'
import type { RecordData, StoredRecord } from '../../model/record.ts'
import type { Task } from '../../model/task.ts'
import { wayOut } from '../../model/ways-out.ts'
import type { Engine } from '../../roles/engine.ts'
import { pageNote, sourceOf, wholePageAs } from '../../roles/local/kept-page.ts'
import { specOf } from '../flags/flag-spec.ts'
import type { ScrapeFlags } from '../flags/flags.ts'
import { startSpec } from '../jobs/start-job.ts'
import { print } from '../print.ts'
import { safe } from '../talk.ts'
import { writePageFiles } from './scrape-files.ts'

export async function scrapePage(url: string, flags: ScrapeFlags): Promise<void> {
  const format = flags.extract ? 'json' : flags.format
  const spec = specOf(flags)
  // The user waits for one page, so robots.txt and the page may follow without a gap. A crawl delay still applies.
  const policy = {
    ...spec.policy,
    answerWithinMs: flags.wait,
    timeouts: { ...silenceWithin(flags.wait), ...spec.policy?.timeouts },
    host: { burst: 2, ...spec.policy?.host },
    browser: { isolation: 'task' as const, ...spec.policy?.browser },
  }
  await startSpec(
    flags,
    { ...spec, policy, urls: [url] },
    {
      command: `scrape ${url}`,
      lanes: 0,
      finish: async (engine, job) => {
        await showPage(engine, job, format, Boolean(flags.full))
        await writePageFiles(engine.data, job.id, flags)
      },
    },
  )
}

/** A server that sends nothing is not waited for longer than the page is. */
const silenceWithin = (waitMs: number): { connectMs?: number; headersMs?: number } => {
  const { connectMs, headersMs } = timeouts.parse({})
  return waitMs === 0
    ? {}
    : { connectMs: Math.min(connectMs, waitMs), headersMs: Math.min(headersMs, waitMs) }
}

async function showPage(
  engine: Engine,
  job: Job,
  format: ScrapeFlags['format'],
  full: boolean,
): Promise<void> {
  const { store } = engine.data
  const task = (await store.tasks.get(job.id, 1)) as Task
  if (task.state !== 'succeeded') return void process.stderr.write(`kscrape: ${whyNot(task)}\n`)
  if (format === 'html') return print(((await sourceOf(engine.data, job.id, 1)) ?? '').trimEnd())
  if (full && (format === 'markdown' || format === 'text')) {
    const whole = await wholePageAs(engine.data, job.id, 1, format)
    if (whole !== null) return print(whole.trimEnd())
  }
  if (task.message !== null) process.stderr.write(`kscrape: ${safe(task.message)}\n`)
  for (const record of await store.records.ofTask(job.id, 1)) {
    show(task.url, fieldsOf(record, job), format)
    for (const { code, message } of pageNote(record).warnings ?? [])
      process.stderr.write(`kscrape: warning: ${safe(message)} (${code})\n`)
  }
}

/** Adds `_page` if a browser may have fetched the page, or if the record has warnings. */
function fieldsOf(record: StoredRecord, { spec }: Job): RecordData {
  const fields = JSON.parse(record.data) as RecordData
  const note = pageNote(record)
  if (renderModeOf(spec) === 'never' && !note.warnings) return fields
  return { ...fields, _page: JSON.parse(JSON.stringify(note)) as RecordData }
}

function show(url: string, record: RecordData, format: ScrapeFlags['format']): void {
  const text = shownAs(record, format)
  if (text || format === 'links') print(text)
  else process.stderr.write(`kscrape: ${url} has no text; --format json shows its metadata\n`)
}

function whyNot({ url, state, reason, message }: Task): string {
  const why = safe(message ?? 'it was not fetched yet')
  const named = why.includes(new URL(url).host) ? why : `${url}: ${why}`
  const way = wayOut(reason)
  return `${named} (${reason ?? state})${way ? `; ${way}` : ''}`
}

/** Documents that are not HTML have text but no markdown. */
function shownAs(record: RecordData, format: ScrapeFlags['format']): string {
  if (format === 'json') return JSON.stringify(record, null, 2)
  if (format === 'links') return ((record.links ?? []) as string[]).join('\n')
  // The content alone lacks the title, link and date of a feed entry.
  if (isFeedEntry(record)) return format === 'markdown' ? entryMarkdown(record) : entryText(record)
  const text = (format === 'markdown' ? record.markdown : null) ?? record.text
  // An image has neither; print its metadata.
  return typeof text === 'string' ? text.trimEnd() : JSON.stringify(record, null, 2)
}
