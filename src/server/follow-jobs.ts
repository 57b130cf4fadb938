// A duty that goes by jobs: first those of before, then whichever something happens to, each until it went well.
import type { Events } from '../model/events.ts'
import type { ServerParts } from './parts.ts'

/** What could not be done is tried again so often. */
const lookEveryMs = 1_000

export interface JobFollower {
  /** To which something may have happened while nobody was there. */
  before: () => Promise<string[]>
  concerns: <Name extends keyof Events>(name: Name, event: Events[Name]) => boolean
  act: (jobId: string) => Promise<void>
  /** Hears what went wrong; the job is null where those of before could not be had. */
  trouble: (error: unknown, jobId: string | null) => void
}

/** Until the signal. */
export async function followJobs(
  { engine, clock }: Pick<ServerParts, 'engine' | 'clock'>,
  { before, concerns, act, trouble }: JobFollower,
  stopping: AbortSignal,
): Promise<void> {
  const open = new Set<string>()
  let wake = new AbortController()
  // Ahead of the look at those of before: what happens meanwhile is in one of the two.
  const deaf = engine.listen((name, event) => {
    if (!concerns(name, event)) return
    open.add((event as { jobId: string }).jobId)
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
  const takeIn = async () => {
    for (const jobId of await before()) open.add(jobId)
  }
  let isTakenIn = false
  while (!stopping.aborted) {
    if (!isTakenIn) isTakenIn = await attempt(takeIn(), null)
    for (const jobId of [...open]) {
      open.delete(jobId)
      if (!(await attempt(act(jobId), jobId))) open.add(jobId)
    }
    await clock.sleep(lookEveryMs, AbortSignal.any([stopping, wake.signal])).catch(() => {})
    wake = new AbortController()
  }
  deaf()
}
