// Retention of a job's data: the operator's defaults, and the job's own values.
import * as z from 'zod'

/** How long data is stored, in ms: up to ten years; 0 means forever. */
const keptMs = z.int().min(0).max(315_360_000_000).optional()

/** The retention of a job's data, counted from the end of the job. Unset values use the operator's settings. */
export const jobRetention = z.strictObject({
  /** Raw pages. */
  rawMs: keptMs,
  /** Screenshots, PDFs, downloads, traces. */
  artifactsMs: keptMs,
  recordsMs: keptMs,
  /** Output files of a service. */
  exportsMs: keptMs,
  /** Webhooks with their bodies. A job can only shorten the time that the operator has set. */
  webhooksMs: keptMs,
  /** The job itself with its remaining data. */
  jobMs: keptMs,
})
export type JobRetention = z.output<typeof jobRetention>

/** Kinds of data that retention deletes, in the order in which reports list them. */
export const keptKinds = [
  'raw',
  'artifacts',
  'records',
  'exports',
  'webhooks',
  'uploads',
  'answers',
  'jobs',
  'orphans',
] as const
type KeptKind = (typeof keptKinds)[number]

export interface Freed {
  /** Number of deleted objects, files or database rows. */
  removed: number
  /** Size of the deleted files; 0 for database rows. */
  bytes: number
}

export type FreedByKind = Record<KeptKind, Freed>

export const nothingFreed = (): FreedByKind =>
  Object.fromEntries(keptKinds.map(kind => [kind, { removed: 0, bytes: 0 }])) as FreedByKind
