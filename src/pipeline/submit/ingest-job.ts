// Ingest: turns the rows of a source into tasks, in batches. The first tasks run while later rows are read.
import { givenUrl, hostOf, textKey, urlKey } from '../../frontier/canonical-url.ts'
import { itemIdProblem } from '../../jobs/item-ids.ts'
import { readRows } from '../../jobs/read-rows.ts'
import { fileSource, type RowSource } from '../../jobs/row-source.ts'
import { type RowReading, type RowTask, taskOfRow } from '../../jobs/row-tasks.ts'
import { cut, type Row } from '../../jobs/rows.ts'
import { asFailure, Failure } from '../../model/failures.ts'
import type { IngestProgress } from '../../model/job.ts'
import { startUrlOf } from '../../model/page/actions.ts'
import type { NewTask } from '../../model/task.ts'
import type { RejectedRow } from '../../ports/store.ts'
import type { CoordinatorContext } from '../coordinate/context.ts'
import { type HostStateContext, loadHostStates } from '../coordinate/hosts/load-host-state.ts'
import type { RunningJob } from '../coordinate/running-job.ts'
import { emitJobSpan } from '../coordinate/spans.ts'
import { type RowPolicyRules, refuseRowPolicy } from './row-policy.ts'
import { scraperHost } from './submit-job.ts'

interface Batch {
  tasks: NewTask[]
  /** The row number of each task in the source. */
  rowOf: Map<NewTask, number>
  rejected: RejectedRow[]
  blank: number
}

/** Dependencies of ingest. `added` is called with the new tasks per host. */
export interface IngestParts
  extends Pick<
    CoordinatorContext,
    'store' | 'blobs' | 'gate' | 'registry' | 'mark' | 'emit' | 'clock' | 'stopping'
  > {
  added: (jobId: string, hosts: ReadonlyMap<string, number>) => Promise<void>
  /** The rules for the policies of rows, such as the operator's ceilings. */
  policyRules?: RowPolicyRules
}

/** Dependencies for ingesting in the coordinator's own process. */
type LocalIngestContext = Omit<IngestParts, 'added' | 'policyRules'> &
  HostStateContext &
  Pick<CoordinatorContext, 'dispatcher' | 'settings' | 'proxies'>

/** Ingests in the process of the coordinator. */
export const ingestLocally = (context: LocalIngestContext, running: RunningJob): Promise<void> =>
  ingestJob(
    {
      ...context,
      policyRules: { ceilings: context.settings.ceilings, operatorProxies: context.proxies?.operator },
      added: async (jobId, hosts) => {
        await loadHostStates(context, [...hosts.keys()])
        for (const [host, count] of hosts) context.dispatcher.addWork(jobId, host, count)
      },
    },
    running,
  )

/** Ingests the source of a job. After an interruption it continues: rows that were read before are skipped. */
export async function ingestJob(parts: IngestParts, running: RunningJob): Promise<void> {
  const { rows: already } = running.job.ingest
  const reading = readingOf(parts, running)
  const startedAt = parts.clock.now()
  let seen = 0
  for await (const rows of portionsOf(readRows(sourceOf(parts, running)))) {
    if (parts.stopping.aborted || running.cancelled) break
    const fresh = rows.slice(Math.max(0, already - seen))
    seen += rows.length
    if (fresh.length > 0) await addRows(parts, running, fresh, reading, seen)
    parts.mark('ingest.mid_batch')
    await refuseHopeless(parts, running)
    await nextTurn()
  }
  const attributes = { 'kscrape.rows': Math.max(0, seen - already) }
  emitJobSpan(parts.emit, 'ingest', running.job, { startedAt, endedAt: parts.clock.now(), attributes })
  if (parts.stopping.aborted) return
  if (!running.cancelled) await save(parts, running, nothing, { ...running.job.ingest, done: true })
  running.sourceEnded()
}

/** If none of the first rows of a source becomes a task, ingest stops after this many rows. */
const hopelessRows = 100_000

/** Throws if none of the rows so far became a task, so that a wrong file is not read to its end. */
async function refuseHopeless({ store }: IngestParts, { id, job }: RunningJob): Promise<void> {
  const { rows, blank, rejected } = job.ingest
  if (rows < hopelessRows || rejected + blank < rows) return
  const [first] = await store.tasks.rejected(id, { limit: 1 })
  const why = first ? `row ${first.row}: ${first.reason}` : 'all of them are empty'
  const read = `none of the first ${rows.toLocaleString('en')} rows became a task, so the rest was not read`
  throw new Failure('input.invalid', `${read}; ${why}`)
}

/** An upload is in the blob store. Any other source is a local file. */
function sourceOf({ blobs }: IngestParts, { job }: RunningJob): RowSource {
  const name = job.ingest.source!
  return job.spec.uploadId === undefined ? fileSource(name) : { name, open: () => blobs.openRead(name) }
}

/** Handles an error of ingest. Tasks that were created still run. If the disk is full or the store is busy, a later sweep retries
 *  from the same row. If the source cannot be read, the job ends with that reason. */
export async function ingestFailed(
  parts: Pick<CoordinatorContext, 'emit'>,
  running: RunningJob,
  error: unknown,
): Promise<void> {
  const { code, message } = asFailure(error)
  parts.emit('notice.given', { jobId: running.id, message })
  running.storage.note(code)
  if (!code.startsWith('storage.') && code !== 'store.busy') running.sourceFailed(message)
}

const firstPortion = 250

/** Divides rows into batches. The first batches are small, so that requests start at once. Later batches are large, because they
 *  cost the store less. */
async function* portionsOf(batches: AsyncIterable<Row[]>): AsyncGenerator<Row[]> {
  let size = firstPortion
  for await (const rows of batches) {
    for (let start = 0; start < rows.length; ) {
      yield rows.slice(start, start + size)
      start += size
      size *= 2
    }
  }
}

/** Lets other work of the process run between two batches, so that pages are fetched while rows are read. */
const nextTurn = (): Promise<void> => new Promise(resolve => setImmediate(resolve))

function readingOf(parts: IngestParts, running: RunningJob): RowReading {
  const { spec } = running.job
  const scraper = parts.registry.get(spec.scraperId)
  const { actions } = spec
  return {
    urlColumn: spec.urlColumn,
    policyColumn: spec.policyColumn,
    input: scraper.input ?? null,
    urlOptional: scraper.run !== undefined,
    ...(actions && { startUrl: row => startUrlOf(actions, row) }),
  }
}

function batchOf(rows: Row[], reading: RowReading, parts: IngestParts, running: RunningJob): Batch {
  const batch: Batch = { tasks: [], rowOf: new Map(), rejected: [], blank: 0 }
  for (const row of rows) {
    const result = taskOfRow(row, reading)
    if (result.is === 'blank') batch.blank++
    else if (result.is === 'rejected')
      batch.rejected.push({ row: result.row, text: result.text, reason: result.reason })
    else addTask(batch, result.task, parts, running)
  }
  return batch
}

function addTask(batch: Batch, row: RowTask, parts: IngestParts, running: RunningJob): void {
  try {
    const task = newTask(row, parts, running)
    batch.tasks.push(task)
    if (task.itemId !== null) batch.rowOf.set(task, row.row)
  } catch (error) {
    reject(batch, row.row, row.url ?? row.input ?? '', asFailure(error).message)
  }
}

const reject = (batch: Batch, row: number, text: string, reason: string): void =>
  void batch.rejected.push({ row, text: cut(text), reason })

/** Rejects rows whose item id belongs to another row with other content. Otherwise they would be lost as duplicates.
 *  Rows with equal content are not rejected, because they are real duplicates. */
async function rejectTakenIds(parts: IngestParts, running: RunningJob, batch: Batch): Promise<void> {
  const inputOf = new Map<string, string | null>()
  const taken = new Set<NewTask>()
  for (const [task, row] of batch.rowOf) {
    const itemId = task.itemId!
    if (!inputOf.has(itemId)) {
      const known = await parts.store.tasks.find(running.id, task.key)
      inputOf.set(itemId, known ? known.input : task.input)
    }
    if (inputOf.get(itemId) === task.input) continue
    taken.add(task)
    reject(batch, row, task.input ?? '', `item_id "${itemId}" is already used by another row`)
  }
  if (taken.size > 0) batch.tasks = batch.tasks.filter(task => !taken.has(task))
}

function newTask(row: RowTask, parts: IngestParts, running: RunningJob): NewTask {
  const problem = row.itemId === null ? null : itemIdProblem(row.itemId, running.job.spec.results.layout)
  if (problem) throw new Error(problem)
  if (row.policy) refuseRowPolicy(running.job.spec, row.policy, parts.policyRules ?? {})
  const base = {
    kind: 'page',
    depth: 0,
    priority: 0,
    parent: null,
    input: row.input,
    itemId: row.itemId,
    ...(row.policy && { policy: JSON.stringify(row.policy) }),
  } as const
  if (row.url === null)
    return {
      ...base,
      key: textKey(row.itemId ?? row.input!),
      url: '',
      host: scraperHost(running.job.spec.scraperId),
    }
  const url = webUrlOf(row.url, parts)
  return { ...base, key: keyOf(row, url, parts, running), url, host: hostOf(url) }
}

/** The key of a row. For scrapers with code and for actions it includes the whole row, because rows with the same URL may mean
 *  different work. */
function keyOf(row: RowTask, url: string, parts: IngestParts, running: RunningJob): bigint {
  if (row.itemId !== null) return textKey(row.itemId)
  const { scraperId, actions } = running.job.spec
  const readsRows = actions !== undefined || parts.registry.get(scraperId).run !== undefined
  return readsRows && row.input !== null ? textKey(row.input) : urlKey(url)
}

/** Checks the URL of a row. White space inside is refused, because the URL parser would drop it silently, and another
 *  page would be fetched. */
function webUrlOf(raw: string, parts: IngestParts): string {
  if (/\s/.test(raw)) throw new Error('white space inside the URL')
  if (!/^https?:\/\//i.test(raw)) throw new Error('no http or https URL')
  const url = givenUrl(raw)
  if (!url) throw new Error('no valid URL')
  parts.gate.judgeUrl(url)
  return url
}

async function addRows(
  parts: IngestParts,
  running: RunningJob,
  fresh: Row[],
  reading: RowReading,
  rows: number,
): Promise<void> {
  const batch = batchOf(fresh, reading, parts, running)
  if (batch.rowOf.size > 0) await rejectTakenIds(parts, running, batch)
  const before = running.job.ingest
  const blank = before.blank + batch.blank
  const rejected = before.rejected + batch.rejected.length
  const saved = await save(parts, running, batch, { ...before, rows, blank, rejected })
  parts.emit('rows.read', { ...saved, rejected: batch.rejected.length, blank: batch.blank })
}

const nothing = { tasks: [], rejected: [] }

/** Saves new tasks, rejected rows and the progress. The store counts duplicates, in the same transaction. */
async function save(
  parts: IngestParts,
  running: RunningJob,
  { tasks, rejected }: Pick<Batch, 'tasks' | 'rejected'>,
  progress: IngestProgress,
): Promise<{ added: number; duplicate: number }> {
  const { added, duplicates, hosts } = await parts.store.tasks.add(running.id, tasks, progress, rejected)
  running.sourceAdvanced({ ...progress, duplicates: progress.duplicates + duplicates })
  running.tasksAdded(added, parts.clock.now())
  await parts.added(running.id, hosts)
  return { added, duplicate: duplicates }
}
