// Reads jobs of a service over HTTP.
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import type { ReadableStream } from 'node:stream/web'
import type { Client, Item, ItemSummary, JobStatus, RecordResult } from '../../client.ts'
import { SourceCounts } from '../../lib/source-counts.ts'
import { Failure } from '../../model/failures.ts'
import { parseTaskId, taskId } from '../../model/ids.ts'
import { type Output, pageFormats } from '../../model/job.ts'
import type { StoredRecord } from '../../model/record.ts'
import type { TableShape } from '../../model/table-shape.ts'
import type { Attempt, Reason, Task } from '../../model/task.ts'
import { shownRecords, type TaskReading } from '../../pipeline/report/field-sources.ts'
import type { PolicyReport } from '../../pipeline/report/policy-report.ts'
import { writeFileWhole } from '../../roles/write-file.ts'
import { waitingParts } from '../show/progress-text.ts'
import { type JobReader, type JobReport, type ListedTask, wallsIn } from './job-reader.ts'
import { countsOf, jobOf, paceOf, progressOf } from './service-job.ts'

export function serviceJobs(service: Client): JobReader {
  const { jobs } = service
  return {
    async list({ state, limit }) {
      if (state === 'interrupted')
        throw new Failure(
          'input.invalid',
          '--state interrupted works only with a data directory: a service runs all its jobs, so none of them is interrupted',
        )
      const filter = { counts: true, pageSize: Math.min(limit, 1_000), ...(state && { status: state }) }
      const found = await firstOf(jobs.list(filter), limit)
      return found.map(job => ({ job: jobOf(job), counts: countsOf(job.counts!) }))
    },

    async report(jobId, which) {
      const status = await jobs.get(jobId)
      const most = which === 'all' ? Number.POSITIVE_INFINITY : shownRecords
      return {
        ...(await factsOf(service, status)),
        conduct: await jobs.conduct(jobId),
        sources: await sourcesOf(service, jobId, most),
      }
    },

    async task(jobId, name) {
      const id = /^\d+$/.test(name) ? taskId(jobId, Number(name)) : name
      return readingOf(jobId, await jobs.item(jobId, id))
    },

    policy: async jobId => (await jobs.policy(jobId)) as PolicyReport,

    async *tasks(jobId, state) {
      const filter = { pageSize: 1_000, ...(state && { status: state }) }
      for await (const item of jobs.items(jobId, filter)) yield taskOf(jobId, item)
    },

    rejected: jobId => jobs.rejected(jobId),

    exportTo: (jobId, output, shape) => writeExport(service, jobId, output, shape),

    [Symbol.asyncDispose]: async () => {},
  }
}

export async function firstOf<Entry>(entries: AsyncIterable<Entry>, most: number): Promise<Entry[]> {
  const found: Entry[] = []
  for await (const entry of entries) {
    found.push(entry)
    if (found.length >= most) break
  }
  return found
}

async function factsOf(service: Client, status: JobStatus): Promise<Omit<JobReport, 'sources' | 'conduct'>> {
  return {
    job: jobOf(status),
    counts: countsOf(status.counts),
    named: status.asked.source.count,
    hosts: (status.hosts.busiest ?? []).slice(0, 10),
    nextWakeAt: status.retries.nextAt === null ? null : Date.parse(status.retries.nextAt),
    pace: status.pace && paceOf(status.pace),
    waits: waitingParts(progressOf(status), Date.now()),
    outputs: status.asked.outputs,
    walls: await wallsIn(status.counts, () =>
      firstOf(service.jobs.items(status.jobId, { status: 'failed', pageSize: 1_000 }), 1_000),
    ),
    proposal: null,
  }
}

async function sourcesOf({ jobs }: Client, jobId: string, most: number): Promise<SourceCounts> {
  const counts = new SourceCounts()
  const pageSize = Math.min(most, 200)
  for await (const result of jobs.results(jobId, { status: 'success', provenance: true, pageSize })) {
    if (counts.records >= most) break
    if (result.status === 'success') counts.add(result.provenance ?? {})
  }
  return counts
}

function taskOf(jobId: string, item: ItemSummary): ListedTask {
  const n = parseTaskId(item.taskId)?.n ?? 0
  return {
    ...{ jobId, n, kind: item.kind, url: item.url, depth: item.depth, message: item.message },
    ...{ state: item.status, reason: item.reason as Reason | null, attempt: item.attempts },
    itemId: item.itemId === `task-${n}` ? null : item.itemId,
    input: null,
  }
}

function readingOf(jobId: string, item: Item): TaskReading {
  const input = item.input === null ? null : JSON.stringify(item.input)
  return {
    task: { ...taskOf(jobId, item), input } as Task,
    attempts: item.history.map(
      ({ httpStatus, queuedAt, startedAt, endedAt, readAt, storedAt, ...attempt }) =>
        ({
          ...attempt,
          ...{ status: httpStatus, raw: null, artifacts: [] },
          ...{ startedAt: Date.parse(startedAt), endedAt: Date.parse(endedAt) },
        }) as unknown as Attempt,
    ),
    records: item.records.map(recordOf),
  }
}

const recordOf = (record: RecordResult, index: number): StoredRecord =>
  ({
    ...{ index, scraper: record.scraper, finalUrl: record.finalUrl, fetchedAt: Date.parse(record.fetchedAt) },
    data: JSON.stringify(record.data),
    provenance: JSON.stringify(record.provenance ?? {}),
  }) as StoredRecord

export async function writeExport(
  { jobs }: Client,
  jobId: string,
  output: Output,
  shape: Partial<TableShape> = {},
): Promise<string> {
  const { counts } = await jobs.get(jobId)
  const file = await jobs.export(jobId, output.format, shape)
  if (output.path === '-')
    await pipeline(Readable.fromWeb(file.stream() as ReadableStream), process.stdout, { end: false })
  else await writeFileWhole(output.path, file.stream())
  return pageFormats.has(output.format) ? `${counts.pages} pages` : `${counts.records} records`
}
