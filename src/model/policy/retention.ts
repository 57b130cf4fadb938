// Retention of a job's data: the operator's defaults, and the job's own values.
import * as z from 'zod'

/** Ten years; 0 is for ever. */
const keptMs = z.int().min(0).max(315_360_000_000).optional()

/** Counted from the end of the job. Missing values use the operator's settings. */
export const jobRetention = z.strictObject({
  /** Raw pages. */
  rawMs: keptMs,
  /** Screenshots, PDFs, downloads, traces. */
  artifactsMs: keptMs,
  recordsMs: keptMs,
  /** Output files of a service. */
  exportsMs: keptMs,
  /** Deliveries with their bodies; at most the operator's time. */
  webhooksMs: keptMs,
  /** The job itself with its remaining data. */
  jobMs: keptMs,
})
export type JobRetention = z.output<typeof jobRetention>

/** Kinds of deleted data, in the order of reports. */
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
  /** Objects, files or rows. */
  removed: number
  /** 0 if only rows were deleted. */
  bytes: number
}

export type FreedByKind = Record<KeptKind, Freed>

export const nothingFreed = (): FreedByKind =>
  Object.fromEntries(keptKinds.map(kind => [kind, { removed: 0, bytes: 0 }])) as FreedByKind
