// The progress of a raw export: a small object beside its parts. A part counts only if this object names its round.
// Each run writes its own object, and the newest one counts. So a run that was replaced cannot undo the work of its
// successor, even on storage without compare-and-set.

import { randomBytes } from 'node:crypto'
import { NumberSet } from '../../lib/collections/number-set.ts'
import type { Job } from '../../model/job.ts'
import { isObject } from '../../model/json.ts'
import type { Blobs } from '../../ports/blobs.ts'
import { storedJson } from '../stored-json.ts'

/** The location of the parts. */
export interface RawTarget {
  blobs: Blobs
  /** Ends with `/`, or is empty. */
  prefix: string
}

export interface RawState {
  jobId: string
  /** Creation time of the job. It distinguishes the job from a deleted job that had the same id. */
  jobCreatedAt: number
  /** The run that wrote this state. The state with the highest epoch counts. Of two states with the same epoch, the one
   *  with the greater `writer` counts. */
  epoch: number
  writer: string
  /** Succeeded tasks whose pages are in committed parts. */
  tasks: NumberSet
  /** Committed rounds, by the run that wrote them. */
  runs: Array<{ writer: string; from: number; to: number }>
  rows: number
  bytes: number
  /** Rounds after round `after` contain pages of tasks that did not succeed. If these tasks are retried, the
   *  rounds are written again. Null before the first such round. */
  closing: { after: number; rows: number; bytes: number } | null
  /** The result of `completionOf` when the export was complete; null before. If the current result differs,
   *  tasks ran again. */
  completeFor: string | null
  /** The run that is writing; null if there is none. */
  lease: { writer: string; untilMs: number } | null
  updatedAt: number
  /** Why the last run stopped; null if it did not fail. */
  trouble: string | null
}

/** Name of the file that claims a folder for a job before the first run. It contains the job id. */
export const claimName = '_kscrape.json'
const states = '_kscrape'

/** Name of a state object, such as `_kscrape-00000003-0000000395ab01cd.json`. */
const stateName = ({ epoch, writer }: Run): string =>
  `${states}-${String(epoch).padStart(8, '0')}-${writer}.json`

export type Run = Pick<RawState, 'epoch' | 'writer'>

/** The run that wrote the state object with this key; null for other files. */
export function runOf(key: string): Run | null {
  const name = key.slice(key.lastIndexOf('/') + 1)
  if (name === claimName) return { epoch: 0, writer: '' }
  const [, epoch, writer] = /^_kscrape-(\d{8})-([0-9a-f]+)\.json$/.exec(name) ?? []
  return epoch === undefined ? null : { epoch: Number(epoch), writer: writer! }
}

export const isNewer = (run: Run, than: Run): boolean =>
  run.epoch === than.epoch ? run.writer > than.writer : run.epoch > than.epoch

/** A new writer id. It starts with the epoch, so that names of parts show it. */
export const newWriter = (epoch: number): string =>
  `${epoch.toString(16).padStart(8, '0')}${randomBytes(4).toString('hex')}`

/** The epoch of the run that wrote a part. */
export const epochOf = (writer: string): number =>
  writer.length === 16 ? parseInt(writer.slice(0, 8), 16) : 0

export const newState = ({ id, createdAt }: Pick<Job, 'id' | 'createdAt'>): RawState => ({
  jobId: id,
  jobCreatedAt: createdAt,
  ...{ epoch: 0, writer: '', tasks: new NumberSet(), runs: [] },
  ...{ rows: 0, bytes: 0, closing: null, completeFor: null, lease: null, updatedAt: 0, trouble: null },
})

/** All runs with a stored state, oldest first. */
export async function listRuns({ blobs, prefix }: RawTarget): Promise<Array<Run & { key: string }>> {
  const found = await Array.fromAsync(blobs.list(`${prefix}${states}`))
  const runs = found.flatMap(({ key }) => {
    const run = runOf(key)
    return run ? [{ ...run, key }] : []
  })
  return runs.sort((a, b) => (isNewer(a, b) ? 1 : -1))
}

export async function loadRawState(target: RawTarget): Promise<RawState | null> {
  for (;;) {
    const newest = (await listRuns(target)).at(-1)
    if (!newest) return null
    const state = await loadStateOf(target, newest)
    // If the state no longer exists, a newer run has deleted it. Then list the runs again.
    if (state) return state
  }
}

export async function loadStateOf({ blobs, prefix }: RawTarget, run: Run): Promise<RawState | null> {
  const name = run.epoch === 0 ? claimName : stateName(run)
  const key = `${prefix}${name}`
  const bytes = await blobs.get(key)
  if (bytes === null) return null
  const { tasks, ...rest } = storedJson<Omit<RawState, 'tasks'> & { tasks?: string }>(bytes, key, isState)
  const { epoch, writer } = run
  return {
    ...newState({ id: '', createdAt: 0 }),
    ...rest,
    epoch,
    writer,
    tasks: NumberSet.parse(tasks ?? ''),
  }
}

/** The fields are checked that the export computes with. */
const isState = (value: unknown): boolean =>
  isObject(value) &&
  ['undefined', 'string'].includes(typeof value.tasks) &&
  (value.runs === undefined || (Array.isArray(value.runs) && value.runs.every(isObject)))

export async function saveRawState({ blobs, prefix }: RawTarget, state: RawState): Promise<void> {
  const text = JSON.stringify({ ...state, tasks: state.tasks.toString() })
  await blobs.put(`${prefix}${stateName(state)}`, Buffer.from(`${text}\n`))
}

export const lastRound = ({ runs }: RawState): number => runs.at(-1)?.to ?? 0

export const partName = (round: number, writer: string): string => `part-${round}-${writer}.parquet`

/** The round in which the part was written, and its writer. Null for keys of other files. */
export function roundOf(key: string): { round: number; writer: string } | null {
  const [, round, writer] =
    /(?:^|\/)domain=[^/]+\/date=[^/]+\/part-(\d+)-([0-9a-f]+)\.parquet$/.exec(key) ?? []
  return round === undefined ? null : { round: Number(round), writer: writer! }
}

/** Whether a part belongs to the export. Other parts are leftovers of a killed run. */
export function isCommitted(state: RawState, key: string): boolean {
  const part = roundOf(key)
  if (part === null) return false
  const { round, writer } = part
  return state.runs.some(run => run.writer === writer && run.from <= round && round <= run.to)
}

/** The committed parts, with their paths below the prefix. */
export async function* committedParts(
  { blobs, prefix }: RawTarget,
  state: RawState,
): AsyncGenerator<{ path: string; bytes: number }> {
  for await (const { key, bytes } of blobs.list(prefix))
    if (isCommitted(state, key)) yield { path: key.slice(prefix.length), bytes }
}
