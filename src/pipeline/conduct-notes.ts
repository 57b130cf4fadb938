// What a job was allowed beyond the polite defaults, as its conduct receipt begins: for jobs from the command line.
import type { ConductNote } from '../model/conduct.ts'
import type { JobSpec } from '../model/job.ts'

export function conductNotes({ policy, browser }: JobSpec, at: number): ConductNote[] {
  const note = (what: ConductNote['what'], value: string): ConductNote => ({ what, value, who: 'cli', at })
  return [
    ...(policy.robots === 'ignore' ? [note('ignore_robots', 'robots.txt is not asked')] : []),
    ...(browser === 'stealth' ? [note('stealth', 'stealth browser')] : []),
  ]
}
