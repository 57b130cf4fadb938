// How far a raw export is: one small object beside its parts. A part counts only once this object names its round.
import { NumberSet } from '../../lib/collections/number-set.ts'
import type { Job } from '../../model/job.ts'
import type { Blobs } from '../../ports/blobs.ts'

/** Where the parts go. */
export interface RawTarget {
  blobs: Blobs
  /** Ends in `/`, or is empty. */
  prefix: string
}

export interface RawState {
  jobId: string
  /** A job that was deleted and created again under its id is another job. */
  jobCreatedAt: number
  /** Succeeded tasks whose pages are in committed parts. */
  tasks: NumberSet
  /** Committed rounds, by the run that wrote them. */
  runs: Array<{ writer: string; from: number; to: number }>
  rows: number
  bytes: number
  /** Rounds after this one hold pages of tasks that did not succeed. A retry replaces them. Null before the first of them. */
  closing: { after: number; rows: number; bytes: number } | null
  /** What the job had done when its export was complete; null if it is not. */
  completeFor: string | null
  /** Who writes now; null if nobody does. */
  lease: { writer: string; untilMs: number } | null
  updatedAt: number
  /** Why the last run stopped; null if it did not fail. */
  trouble: string | null
}

export const stateName = '_kscrape.json'

export const newState = ({ id, createdAt }: Job): RawState => ({
  jobId: id,
  jobCreatedAt: createdAt,
  tasks: new NumberSet(),
  runs: [],
  ...{ rows: 0, bytes: 0, closing: null, completeFor: null, lease: null, updatedAt: 0, trouble: null },
})

export async function loadRawState({ blobs, prefix }: RawTarget): Promise<RawState | null> {
  const text = await blobs.get(`${prefix}${stateName}`)
  if (text === null) return null
  const { tasks, ...rest } = JSON.parse(text.toString()) as Omit<RawState, 'tasks'> & { tasks: string }
  return { ...rest, tasks: NumberSet.parse(tasks) }
}

export async function saveRawState({ blobs, prefix }: RawTarget, state: RawState): Promise<void> {
  const text = JSON.stringify({ ...state, tasks: state.tasks.toString() })
  await blobs.put(`${prefix}${stateName}`, Buffer.from(`${text}\n`))
}

export const lastRound = ({ runs }: RawState): number => runs.at(-1)?.to ?? 0

export const partName = (round: number, writer: string): string => `part-${round}-${writer}.parquet`

/** Null for keys that are no parts. */
export function roundOf(key: string): { round: number; writer: string } | null {
  const [, round, writer] =
    /(?:^|\/)domain=[^/]+\/date=[^/]+\/part-(\d+)-([0-9a-f]+)\.parquet$/.exec(key) ?? []
  return round === undefined ? null : { round: Number(round), writer: writer! }
}

/** Whether a part is in the export. Others were left by a run that was killed. */
export function isCommitted(state: RawState, key: string): boolean {
  const part = roundOf(key)
  if (part === null) return false
  const { round, writer } = part
  return state.runs.some(run => run.writer === writer && run.from <= round && round <= run.to)
}

/** Parts that a reader may use, with their paths below the prefix. */
export async function* committedParts(
  { blobs, prefix }: RawTarget,
  state: RawState,
): AsyncGenerator<{ path: string; bytes: number }> {
  for await (const { key, bytes } of blobs.list(prefix))
    if (isCommitted(state, key)) yield { path: key.slice(prefix.length), bytes }
}
