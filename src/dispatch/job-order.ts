// Decides which job may start the next task: single tasks first, then smaller jobs. A share is reserved for the job that has waited
// longest.
import type { JobLane } from './job-lane.ts'

/** Share of all starts that goes to the job that has waited longest. */
const share = 0.2
/** How much credit each start of another job gives to the longest waiting job. One credit is one start. */
const creditPerStart = share / (1 - share)

/** Plans one task of a job. Returns false if no task can start now. */
type Start = (lane: JobLane) => boolean

interface Candidate {
  lane: JobLane
  size: number
  allowance: number
  isServed: boolean
}

export class JobOrder {
  /** Credit of the longest waiting job, in starts. It is kept between plans, because a plan may have only one task. */
  #credit = 0

  /** Plans tasks until `capacity` is used or no job can start another one. */
  serve(lanes: JobLane[], now: number, capacity: number, start: Start): void {
    const candidates = lanes.map(candidateOf).filter(({ allowance }) => allowance > 0)
    const singles = candidates.filter(({ lane }) => lane.job.single).sort(olderFirst)
    const jobs = candidates.filter(({ lane }) => !lane.job.single).sort(smallerFirst)
    let left = capacity
    for (const single of singles) while (left > 0 && startOne(single, start)) left -= 1
    this.#serveJobs(jobs, now, left, start)
    for (const candidate of candidates) noteWaiting(candidate, now)
  }

  #serveJobs(jobs: Candidate[], now: number, capacity: number, start: Start): void {
    let longest = longestWaiting(jobs.slice(1), now)
    let index = 0
    for (let left = capacity; left > 0 && index < jobs.length; ) {
      const inShare = longest !== null && this.#credit >= 1
      const next = inShare ? longest! : jobs[index]!
      if (startOne(next, start)) {
        left -= 1
        if (inShare) this.#credit -= 1
        else if (longest !== null && next !== longest) this.#credit += creditPerStart
      } else if (inShare) longest = null
      else index += 1
    }
    // Limit unused credit to the share of one plan. Otherwise the longest waiting job could later take many starts in a row.
    this.#credit = Math.min(this.#credit, Math.max(1, capacity * share))
  }
}

const candidateOf = (lane: JobLane): Candidate => ({
  lane,
  size: lane.job.remaining(),
  allowance: lane.allowance(),
  isServed: false,
})

const olderFirst = (a: Candidate, b: Candidate): number => a.lane.job.createdAt - b.lane.job.createdAt
const smallerFirst = (a: Candidate, b: Candidate): number => a.size - b.size || olderFirst(a, b)

function longestWaiting(jobs: Candidate[], now: number): Candidate | null {
  const since = ({ lane }: Candidate) => lane.waitingSince ?? now
  return jobs.reduce<Candidate | null>(
    (longest, job) => (longest === null || since(job) < since(longest) ? job : longest),
    null,
  )
}

function startOne(candidate: Candidate, start: Start): boolean {
  if (candidate.allowance <= 0 || !start(candidate.lane)) return false
  candidate.allowance -= 1
  candidate.isServed = true
  return true
}

function noteWaiting({ lane, isServed }: Candidate, now: number): void {
  lane.waitingSince = isServed ? null : (lane.waitingSince ?? now)
}
