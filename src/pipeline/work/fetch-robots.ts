// Fetches robots.txt of an origin in a lane, with the same checks as for any page.
import { asFailure, Failure } from '../../model/failures.ts'
import type { RobotsReport } from '../../model/lane.ts'
import { headerOf, type RedirectHop } from '../../model/page/page.ts'
import type { TaskIdentity } from '../../model/policy/proxy.ts'
import type { Clock } from '../../ports/clock.ts'
import type { AskPermit } from '../../ports/permits.ts'
import type { OpenJob } from './lane/open-job.ts'

/** How much of the file is read; the rest is ignored. RFC 9309 requires at least 500 KiB. */
const readBytes = 512_000

/** Timeout with all redirects. It is longer than the timeout of one request, because each redirect may wait for a slot. */
export const longestRobotsMs = 120_000

export async function fetchRobots(
  { clock, askPermit }: { clock: Clock; askPermit: AskPermit },
  job: OpenJob,
  origin: string,
  identity: TaskIdentity | null,
): Promise<RobotsReport> {
  const signal = AbortSignal.any([AbortSignal.timeout(longestRobotsMs), job.signal])
  const askHop = async ({ to }: RedirectHop, _sentAt: number, lapsed: number) => {
    const request = { jobId: job.job.id, n: 0, url: to, purpose: 'robots', lapsed } as const
    const goodUntil = await askPermit(request, signal)
    return () => clock.now() <= goodUntil
  }
  const startedAt = clock.now()
  const base = { origin, startedAt, status: null, body: '', maxAgeMs: null, failure: null }
  try {
    const page = await job.fetchAs(identity, origin)(
      { ...job.robotsRequest(origin, askHop), maxBytes: readBytes, isCutAtMax: true, maxRedirects: 5 },
      signal,
    )
    const cacheControl = headerOf(page.headers, 'cache-control') ?? ''
    return {
      ...base,
      status: page.status,
      body: page.body.toString('latin1'),
      maxAgeMs: maxAgeOf(cacheControl),
      sentAt: page.sentAt,
      endedAt: clock.now(),
    }
  } catch (error) {
    // RFC 9309 treats too many or invalid redirects as "no robots.txt" (404).
    const failure = job.signal.aborted ? jobOver(origin) : asFailure(error)
    const status = failure.code === 'redirect.too-many' || failure.code === 'redirect.bad' ? 404 : null
    return { ...base, status, failure: failure.toJSON(), sentAt: clock.now(), endedAt: clock.now() }
  }
}

/** The failure if the job ended during the fetch. It says nothing about the site, so other jobs that wait for the file retry. */
const jobOver = (origin: string): Failure =>
  new Failure('worker.stopping', `the job that requested robots.txt of ${origin} has ended`)

function maxAgeOf(cacheControl: string): number | null {
  const seconds = /\bmax-age=(\d+)/i.exec(cacheControl)?.[1]
  return seconds === undefined ? null : Number(seconds) * 1_000
}

export const robotsFailed = (origin: string, now: number, error: unknown): RobotsReport => ({
  origin,
  status: null,
  body: '',
  maxAgeMs: null,
  failure: (error instanceof Failure ? error : asFailure(error)).toJSON(),
  startedAt: now,
  sentAt: now,
  endedAt: now,
})
