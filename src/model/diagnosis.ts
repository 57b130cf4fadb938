// A diagnosis: facts about a job or process for troubleshooting, without secrets.

export interface Diagnosis {
  about: 'job' | 'worker'
  name: string
  /** ISO 8601. */
  madeAt: string
  /** By subject: `settings`, `versions`, `process`, `job`, `hosts`, `errors`, `events`, … */
  sections: Record<string, unknown>
}

/** Profiles on request. A heap snapshot holds the whole memory, with pages and secrets. */
export type ProfileRequest = { kind: 'heap' } | { kind: 'cpu'; seconds: number }

export const longestProfileSeconds = 60
