// A diagnosis: facts about a job or process for troubleshooting, without secrets.

export interface Diagnosis {
  about: 'job' | 'worker'
  name: string
  /** ISO 8601. */
  madeAt: string
  /** The facts by subject: `settings`, `versions`, `process`, `job`, `hosts`, `errors`, `events`, … */
  sections: Record<string, unknown>
}

/** A request for a profile. A heap snapshot contains the whole memory, including pages and secrets. */
export type ProfileRequest = { kind: 'heap' } | { kind: 'cpu'; seconds: number }

export const longestProfileSeconds = 60
