// The actions of kscrape views, in the database of a cluster.
import { Failure } from '../../model/failures.ts'
import { type RecordView, type ViewSubject, withRecordViews } from '../../roles/record-views.ts'
import type { CommonFlags } from '../flags/flags.ts'
import { settingsFor } from '../jobs/read-data-directory.ts'
import { print, printJson } from '../print.ts'
import { table } from '../show/job-tables.ts'

interface CreateFlags extends CommonFlags {
  scraper?: string
  workspace?: string
  grant?: string[]
}

export async function createView(job: string | undefined, flags: CreateFlags): Promise<void> {
  const subject = subjectOf(job, flags)
  const { settings } = await settingsFor(flags)
  const view = await withRecordViews(settings, views => views.create(subject, { readers: flags.grant ?? [] }))
  show([view], flags)
}

export function subjectOf(jobId: string | undefined, { scraper, workspace }: CreateFlags): ViewSubject {
  if ((jobId === undefined) === (scraper === undefined))
    throw new Failure('input.invalid', 'name either a job or --scraper ID')
  if (jobId === undefined) return { of: 'scraper', scraperId: scraper!, workspace: workspace ?? null }
  if (workspace !== undefined)
    throw new Failure(
      'input.invalid',
      `--workspace ${workspace} needs --scraper; a job has only one workspace`,
    )
  return { of: 'job', jobId }
}

export async function listViews(flags: CommonFlags): Promise<void> {
  const { settings } = await settingsFor(flags)
  show(await withRecordViews(settings, views => views.list()), flags)
}

export async function refreshViews(flags: CommonFlags): Promise<void> {
  const { settings } = await settingsFor(flags)
  const made = await withRecordViews(settings, async views => {
    const all: RecordView[] = []
    for (const { subject } of await views.list()) all.push(await views.create(subject))
    return all
  })
  show(made, flags)
}

export async function dropView(name: string, flags: CommonFlags): Promise<void> {
  const { settings } = await settingsFor(flags)
  const dropped = await withRecordViews(settings, views => views.drop(name))
  if (!dropped)
    throw new Failure(
      'input.invalid',
      `"${name}" is not a view of kscrape; \`kscrape views list\` shows them`,
    )
  if (flags.json) printJson({ dropped: name })
  else print(`dropped ${name}`)
}

function show(views: RecordView[], { json }: CommonFlags): void {
  if (json) {
    for (const { name, subject, columns } of views)
      printJson({
        view: name,
        ...(subject.of === 'job'
          ? { job_id: subject.jobId }
          : { scraper_id: subject.scraperId, workspace: subject.workspace }),
        columns: Object.fromEntries(columns.map(column => [column.name, column.type])),
      })
    return
  }
  const rows = views.map(({ name, subject, columns }) => [
    name,
    subject.of === 'job' ? `job ${subject.jobId}` : `scraper ${subject.scraperId}`,
    columns.map(column => `${column.name} ${column.type}`).join(', '),
  ])
  print(table(['view', 'shows', 'columns'], rows))
}
