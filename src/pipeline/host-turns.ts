// Turns: waiting until a host may be asked, for requests that were not planned by the dispatcher.
import type { HostAsk } from '../dispatch/host-table.ts'
import { Failure } from '../model/failures.ts'
import type { Desk } from './desk.ts'
import type { RunningJob } from './running-job.ts'

/** Longer than this is not waited for inside a task: it goes back and comes again. */
const longestWaitMs = 30_000
/** How often to look again where the host can't say when it will be free. */
const lookAgainMs = 20

/** Takes a slot at the host (to be freed by `hosts.finished`) and waits for its start. Returns the gap in force. */
export const waitForSlot = (desk: Desk, job: RunningJob, host: string): Promise<number> =>
  waitForTurn(desk, host, job.ask(desk.settings.concurrency), false)

/**
 * The same for one of many that wait together, as after a robots.txt: one behind the other, since a thousand that each look for
 * themselves would keep the process busy with looking.
 */
export function waitInLine(desk: Desk, job: RunningJob, host: string): Promise<number> {
  const latest = desk.clock.now() + longestWaitMs
  const before = job.lines.get(host) ?? Promise.resolve()
  const turn = before.then(() => waitForTurn(desk, host, job.ask(desk.settings.concurrency), false, latest))
  const isOver = turn
    .catch(() => {})
    .then(() => {
      if (job.lines.get(host) === isOver) job.lines.delete(host)
    })
  job.lines.set(host, isOver)
  return turn
}

/** A further request of a task that is already under way: spaced like any other, but it takes no slot of its own. */
export const waitForExtra = (desk: Desk, job: RunningJob, host: string): Promise<number> =>
  waitForTurn(desk, host, job.ask(desk.settings.concurrency), true)

/** For robots.txt itself: everyone else waits until it is there. */
export const waitForRobotsHop = (desk: Desk, job: RunningJob, host: string): Promise<number> =>
  waitForTurn(desk, host, { ...job.ask(desk.settings.concurrency), robots: 'ignore' }, true)

/** For what a page loads from another host: nobody asks robots.txt for that, so a robots.txt on its way holds it up neither. */
export const waitForPart = waitForRobotsHop

async function waitForTurn(
  desk: Desk,
  host: string,
  ask: HostAsk,
  extra: boolean,
  latest = desk.clock.now() + longestWaitMs,
): Promise<number> {
  for (;;) {
    const now = desk.clock.now()
    const turn = extra
      ? desk.hosts.reserveExtra(host, now, now, ask)
      : desk.hosts.reserve(host, now, now, ask)
    if (turn.ok) return turn.gapMs
    const wait = turn.until === null ? lookAgainMs : turn.until - now
    if (now + wait > latest) throw notNow(host, turn.reason, wait)
    await desk.clock.sleep(Math.max(1, wait), desk.stopping).catch(() => {})
    if (desk.stopping.aborted) throw new Failure('worker.stopping', `stopped while waiting for ${host}`)
  }
}

const notNow = (host: string, reason: string, retryAfterMs: number): Failure =>
  new Failure(
    'host.not-now',
    `${host} may not be asked for another ${Math.round(retryAfterMs / 1000)} s (${reason})`,
    { host, reason, retryAfterMs },
  )
