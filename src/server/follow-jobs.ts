// A service loop that runs an action for jobs: first for recent jobs, then for every job with new events. If the action fails
// for a job, it is retried until it succeeds.
import type { Events } from '../model/events.ts'
import { hasEnded } from '../model/job.ts'
import type { ServerParts } from './parts.ts'

/** Milliseconds between retries. */
const lookEveryMs = 1_000
const longestRestMs = 60_000

export interface JobFollower {
  /** Returns the ids of jobs that may have had events while no process ran. */
  before: () => Promise<string[]>
  concerns: <Name extends keyof Events>(name: Name, event: Events[Name]) => boolean
  /** If it returns `irrelevant`, later events of the job are ignored until the job ends. Reading a job is costly, because its
   *  spec may list thousands of URLs. */
  act: (jobId: string) => Promise<void | 'irrelevant'>
  /** Receives errors. `jobId` is null if the recent jobs could not be loaded. */
  trouble: (error: unknown, jobId: string | null) => void
}

/** Runs until the signal is aborted. */
export async function followJobs(
  { engine, clock }: Pick<ServerParts, 'engine' | 'clock'>,
  { before, concerns, act, trouble }: JobFollower,
  stopping: AbortSignal,
): Promise<void> {
  const open = new Set<string>()
  const irrelevant = new Set<string>()
  let wake = new AbortController()
  // Subscribe before loading the recent jobs, so that no event is missed in between.
  const unsubscribe = engine.listen((name, event) => {
    if (!concerns(name, event)) return
    const { jobId } = event as { jobId: string }
    if (name === 'job.moved' && hasEnded((event as Events['job.moved']).to)) irrelevant.delete(jobId)
    if (irrelevant.has(jobId)) return
    open.add(jobId)
    wake.abort()
  })
  const attempt = (work: Promise<void>, jobId: string | null): Promise<boolean> =>
    work.then(
      () => true,
      error => {
        trouble(error, jobId)
        return false
      },
    )
  const actOn = async (jobId: string) => {
    if ((await act(jobId)) === 'irrelevant') irrelevant.add(jobId)
    else irrelevant.delete(jobId)
  }
  const takeIn = async () => {
    for (const jobId of await before()) open.add(jobId)
  }
  let isTakenIn = false
  while (!stopping.aborted) {
    if (!isTakenIn) isTakenIn = await attempt(takeIn(), null)
    for (const jobId of [...open]) {
      open.delete(jobId)
      if (!(await attempt(actOn(jobId), jobId))) open.add(jobId)
    }
    // If no action must be retried, sleep until the next event.
    const restMs = isTakenIn && open.size === 0 ? longestRestMs : lookEveryMs
    await clock.sleep(restMs, AbortSignal.any([stopping, wake.signal])).catch(() => {})
    wake = new AbortController()
  }
  unsubscribe()
}
