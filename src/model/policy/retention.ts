// How long what a job leaves behind is kept: the operator's defaults, and what a job says for itself.
import * as z from 'zod'

/** Ten years; 0 is for ever. */
const keptMs = z.int().min(0).max(315_360_000_000).optional()

/** Counted from the end of the job. What is not said is as the operator has it. */
export const jobRetention = z.strictObject({
  /** Raw pages. */
  rawMs: keptMs,
  /** Screenshots, PDFs, downloads, traces. */
  artifactsMs: keptMs,
  recordsMs: keptMs,
  /** Files that a service made for the job. */
  exportsMs: keptMs,
  /** Deliveries, with their bodies; no longer than the operator keeps them. */
  webhooksMs: keptMs,
  /** The job itself, with all that is left of it. */
  jobMs: keptMs,
})
export type JobRetention = z.output<typeof jobRetention>

/** What is taken away, by kind, in the order in which it is reported. */
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
export type KeptKind = (typeof keptKinds)[number]

export interface Freed {
  /** Objects, files or rows. */
  removed: number
  /** 0 where only rows went. */
  bytes: number
}

export type FreedByKind = Record<KeptKind, Freed>

export const nothingFreed = (): FreedByKind =>
  Object.fromEntries(keptKinds.map(kind => [kind, { removed: 0, bytes: 0 }])) as FreedByKind
