// Whose turn it is among jobs: single tasks first, then the smaller job, with a share for the one that waited longest.
import type { JobLane } from './job-lane.ts'

/** Of the starts that jobs get, the part that goes to the one that waited longest. */
const share = 0.2
/** What each start outside the share adds to it. */
const creditPerStart = share / (1 - share)

/** Starts one task of a job; false when it has none that can start now. */
type Start = (lane: JobLane) => boolean

interface Candidate {
  lane: JobLane
  size: number
  allowance: number
  isServed: boolean
}

export class Turns {
  /** Starts that the longest waiting job has coming. Kept from plan to plan: a plan may be for one task only. */
  #credit = 0

  /** Starts one task after the other until `capacity` is used up or nobody can start. */
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
    let turn = 0
    for (let left = capacity; left > 0 && turn < jobs.length; ) {
      const inShare = longest !== null && this.#credit >= 1
      const next = inShare ? longest! : jobs[turn]!
      if (startOne(next, start)) {
        left -= 1
        if (inShare) this.#credit -= 1
        else if (longest !== null && next !== longest) this.#credit += creditPerStart
      } else if (inShare) longest = null
      else turn += 1
    }
    // What nobody could use is not saved up beyond one plan's worth.
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
