// Scraping one page: a job of one task, whose record goes to stdout in the form that was asked for.
import type { Job, JobSpecInput } from '../model/job.ts'
import type { Json } from '../model/record.ts'
import type { Engine } from '../roles/engine.ts'
import { sourceOf } from '../roles/look-up.ts'
import type { ScrapeFlags } from './flags.ts'
import { startSpec } from './start-job.ts'
import { safe } from './talk.ts'

export async function scrapePage(url: string, flags: ScrapeFlags, spec: JobSpecInput): Promise<void> {
  const shown = flags.extract ? { ...flags, format: 'json' as const } : flags
  await startSpec(
    { quiet: true, ...flags },
    { ...spec, urls: [url], output: [] },
    { command: `scrape ${url}`, lanes: 0, finish: (engine, job) => printPage(engine, job, shown) },
  )
}

async function printPage(engine: Engine, job: Job, { format }: ScrapeFlags): Promise<void> {
  const { store } = engine.data
  const task = await store.tasks.get(job.id, 1)
  if (task?.state !== 'succeeded') {
    process.stderr.write(
      `kscrape: ${task?.url}: ${safe(task?.message ?? task?.reason ?? 'not fetched')} (${task?.reason ?? task?.state})\n`,
    )
    return
  }
  if (format === 'html') {
    process.stdout.write((await sourceOf(engine.data, job.id, 1)) ?? '')
    return
  }
  const records = (await store.records.ofTask(job.id, 1)).map(
    record => JSON.parse(record.data) as { [field: string]: Json },
  )
  for (const record of records) process.stdout.write(`${shownAs(record, format)}\n`)
}

function shownAs(record: { [field: string]: Json }, format: ScrapeFlags['format']): string {
  if (format === 'json') return JSON.stringify(record, null, 2)
  if (format === 'links') return (record.links as string[]).join('\n')
  return String(record[format] ?? '').trimEnd()
}
