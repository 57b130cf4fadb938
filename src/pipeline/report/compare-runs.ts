// Compares two runs of a schedule: which items are new, changed, unchanged or gone, by the content of their records.

import { hash } from 'node:crypto'
import { setImmediate as letOthersRun } from 'node:timers/promises'
import { textKey, urlKey } from '../../frontier/canonical-url.ts'
import { KeyTable } from '../../lib/collections/key-table.ts'
import type { Job } from '../../model/job.ts'
import type { RecordData, StoredRecord } from '../../model/record.ts'
import type { Difference } from '../../model/schedule.ts'
import type { RecordStore, Store } from '../../ports/store.ts'
import { recordBatches } from '../../results/exports/record-batches.ts'
import { itemNameOf } from './result-items.ts'

/** The keys and content hashes of a run's records: a few bytes per record, so that a million records fit in memory. */
interface Digest {
  jobId: string
  table: KeyTable
  hashes: BigUint64Array
  seqs: Float64Array
}

export interface Comparison {
  from: Digest
  to: Digest
  counts: Record<Difference, number>
}

/** Compares two runs. Both must have ended, because otherwise it is unknown which items are gone. `textOf` returns the part of a
 *  record that is compared. */
export async function compareRuns(
  { records, jobs }: Store,
  from: Job,
  to: Job,
  textOf: (record: StoredRecord) => string = withoutTime,
): Promise<Comparison> {
  const [before, after] = [await digest(records, jobs, from, textOf), await digest(records, jobs, to, textOf)]
  const comparison = { from: before, to: after, counts: { new: 0, changed: 0, unchanged: 0, gone: 0 } }
  for (let index = 0; index < after.table.size; index += 1)
    comparison.counts[differenceAt(comparison, index)] += 1
  const { changed, unchanged } = comparison.counts
  comparison.counts.gone = before.table.size - changed - unchanged
  return comparison
}

async function digest(
  records: RecordStore,
  jobs: Store['jobs'],
  { id }: Job,
  textOf: (record: StoredRecord) => string,
): Promise<Digest> {
  const most = (await jobs.counts(id)).records
  const table = new KeyTable(most)
  const [hashes, seqs] = [new BigUint64Array(most), new Float64Array(most)]
  for await (const batch of recordBatches(records, id)) {
    for (const record of batch) {
      const index = table.add(keyOf(record)) ?? table.add(hashOf(`${nameOf(record)} ${record.n}`))
      if (index === null) continue
      hashes[index] = hashOf(textOf(record))
      seqs[index] = record.seq
    }
    await letOthersRun()
  }
  return { jobId: id, table, hashes, seqs }
}

/**
 * The name by which records of two runs are matched. It is the caller's item id (or else the URL), plus the position of
 * the record in its task.
 */
const nameOf = (record: StoredRecord): string =>
  `${record.itemId === null && record.url !== '' ? record.url : itemNameOf(record)} ${record.index}`

const keyOf = (record: StoredRecord): bigint => hashOf(nameOf(record))

/** The content of a record without its fetch time, because a new fetch time is not a change. */
function withoutTime({ data, fetchedAt }: StoredRecord): string {
  return data.replace(`"fetched_at":"${new Date(fetchedAt).toISOString()}"`, '"fetched_at":""')
}

const hashOf = (text: string): bigint => hash('sha1', text, 'buffer').readBigUInt64LE()

/** How one record of the later run differs from the earlier run. */
function differenceAt({ from, to }: Comparison, index: number): Exclude<Difference, 'gone'> {
  const before = from.table.find(to.table.keyAt(index))
  if (before === null) return 'new'
  return from.hashes[before] === to.hashes[index] ? 'unchanged' : 'changed'
}

/** The cursor of a caller that pages through the differences. First come the records of the later run, then the items
 *  that are gone. */
export interface ComparedPlace {
  run: 'to' | 'from'
  index: number
}

export interface Compared {
  difference: Difference
  url: string
  itemId: string
  before: RecordData | null
  after: RecordData | null
  /** Names of the changed fields; only for a changed record. */
  fields?: string[] | undefined
  /** For an item that is gone: the reason of its task in the later run; null if that run had no such task. */
  reason?: string | null | undefined
}

type ComparedStore = Pick<Store, 'records' | 'tasks'>

/** The next differences after `place`, in the order of the later run. Items that are gone are last. */
export async function comparedAfter(
  store: ComparedStore,
  comparison: Comparison,
  place: ComparedPlace,
  { limit, wants }: { limit: number; wants: ReadonlySet<Difference> },
): Promise<{ found: Compared[]; place: ComparedPlace | null }> {
  const found: Compared[] = []
  for (const at of placesFrom(comparison, place, wants)) {
    if (found.length === limit) return { found, place: at }
    found.push(await comparedAt(store, comparison, at))
  }
  return { found, place: null }
}

function* placesFrom(
  comparison: Comparison,
  { run, index }: ComparedPlace,
  wants: ReadonlySet<Difference>,
): Iterable<ComparedPlace> {
  const { from, to } = comparison
  if (run === 'to')
    for (let at = index; at < to.table.size; at += 1)
      if (wants.has(differenceAt(comparison, at))) yield { run: 'to', index: at }
  if (!wants.has('gone')) return
  for (let at = run === 'to' ? 0 : index; at < from.table.size; at += 1)
    if (to.table.find(from.table.keyAt(at)) === null) yield { run: 'from', index: at }
}

async function comparedAt(
  store: ComparedStore,
  comparison: Comparison,
  { run, index }: ComparedPlace,
): Promise<Compared> {
  const { from, to } = comparison
  const { records } = store
  if (run === 'from') return goneAt(store, comparison, index)
  const record = await recordAt(records, to, index)
  const after = dataOf(record)
  const difference = differenceAt(comparison, index)
  if (difference === 'new') return { difference, ...namesOf(record), before: null, after }
  const earlier = from.table.find(to.table.keyAt(index)) ?? 0
  const before = dataOf(await recordAt(records, from, earlier))
  const fields = difference === 'changed' ? { fields: changedFields(before, after) } : {}
  return { difference, ...namesOf(record), before, after, ...fields }
}

async function goneAt(
  { records, tasks }: ComparedStore,
  { from, to }: Comparison,
  index: number,
): Promise<Compared> {
  const gone = await recordAt(records, from, index)
  const key = gone.itemId === null ? urlKey(gone.url) : textKey(gone.itemId)
  const task = await tasks.find(to.jobId, key)
  const reason = task ? (task.reason ?? task.state) : null
  return { difference: 'gone', ...namesOf(gone), before: dataOf(gone), after: null, reason }
}

async function recordAt(records: RecordStore, { jobId, seqs }: Digest, index: number): Promise<StoredRecord> {
  const [record] = await records.list(jobId, { after: seqs[index]! - 1, limit: 1 })
  return record as StoredRecord
}

const namesOf = (record: StoredRecord) => ({ url: record.url, itemId: itemNameOf(record) })

const dataOf = ({ data }: StoredRecord): RecordData => JSON.parse(data) as RecordData

const changedFields = (before: RecordData, after: RecordData): string[] =>
  [...new Set([...Object.keys(before), ...Object.keys(after)])].filter(
    field => field !== 'fetched_at' && JSON.stringify(before[field]) !== JSON.stringify(after[field]),
  )
