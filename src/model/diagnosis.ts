// A diagnosis: what is worth knowing about a job or a process when something is wrong with it. Nothing secret is in it.

export interface Diagnosis {
  about: 'job' | 'worker'
  name: string
  /** ISO 8601. */
  madeAt: string
  /** By what they tell of: `settings`, `versions`, `process`, `job`, `hosts`, `errors`, `events`, … */
  sections: Record<string, unknown>
}

/** What is measured on request. A heap holds whatever the process has in memory, pages and secrets included. */
export type ProfileRequest = { kind: 'heap' } | { kind: 'cpu'; seconds: number }

export const longestProfileSeconds = 60
