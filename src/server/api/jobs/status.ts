// GET /jobs/{id}/status: state, progress, rate, waits and estimated end of a job.

import { RecentMap } from '../../../lib/collections/recent-map.ts'
import { jobParams, jobStatus } from '../../../model/api/jobs.ts'
import type { Events } from '../../../model/events.ts'
import { chosenId } from '../../../model/ids.ts'
import { hasEnded, type Job } from '../../../model/job.ts'
import { mapKeys, snake } from '../../../model/letter-case.ts'
import { type JobPace, paceText } from '../../../model/policy/pace.ts'
import { hostTrouble } from '../../../pipeline/coordinate/hosts/host-trouble.ts'
import type { JobProgress } from '../../../pipeline/report/job-progress.ts'
import type { App, FastifyReply, FastifyRequest } from '../../app.ts'
import type { Said } from '../../http/cached-responses.ts'
import { baseUrl, isoTimeOrNull, problemSchema } from '../../http/responses.ts'
import { ownedJob } from '../../owned-job.ts'
import type { GuardedServer, Server } from '../../parts.ts'
import type { RecentRates } from './rates.ts'
import { shownAsked } from './source-summary.ts'
import { shownCounts, shownJob, shownWait } from './views.ts'

/** Milliseconds for which all clients that poll a job get the same response. A state change discards it earlier. */
const sameForMs = 100
const rememberedJobs = 1_000
/** A job with more tasks than this shows no counts per host. Counting them would take too long, because clients poll every
 *  second. */
const mostTasksForHosts = 5_000
const shownHosts = 20

export function addStatus(app: App, server: GuardedServer, rates: RecentRates): void {
  const answers = new RecentAnswers(server)
  const answerAs = (route: string) => async (request: FastifyRequest, reply: FastifyReply) => {
    const { jobId } = request.params as { jobId: string }
    const said = await answers.of(request, jobId, () => statusText(server, request, jobId, rates))
    const { workspace } = request.caller
    server.quick.offer(request.url, { workspace, host: request.raw.headers.host, route, said })
    return reply.type('application/json; charset=utf-8').send(said.text as never)
  }
  const schema = {
    summary: 'Get the status of a job',
    params: jobParams,
    response: { 200: jobStatus, 404: problemSchema },
  }
  for (const route of ['/jobs/:jobId/status', '/jobs/:jobId'])
    app.get(route, { config: { scope: 'read' }, schema }, answerAs(route))
}

interface RecentAnswer {
  workspace: string
  /** The base URL of links in the response. */
  base: string
  /** The finished response; null while it is built. */
  said: Said | null
  making: Promise<Said>
}

class RecentAnswers {
  readonly #server: Server
  #answers = new RecentMap<string, RecentAnswer>(rememberedJobs)

  constructor(server: Server) {
    this.#server = server
    server.parts.engine.listen((name, event) => {
      if (name === 'job.moved' || name === 'job.deleted')
        this.#forget(chosenId((event as Events['job.deleted']).jobId))
    })
  }

  /** Called when a job has changed. Requests that wait for a response get the one that is being built. Later requests get a new
   *  one. */
  #forget(jobId: string): void {
    const known = this.#answers.get(jobId)
    if (known?.said) known.said.until = 0
    this.#answers.delete(jobId)
  }

  /** The cached response, or a new one. Requests that arrive while a response is built wait for it. */
  of(request: FastifyRequest, jobId: string, make: () => Promise<string>): Promise<Said> {
    const { workspace } = request.caller
    const base = baseUrl(this.#server, request)
    const now = this.#server.parts.clock.now()
    const known = this.#answers.get(jobId)
    const isTheirs = known?.workspace === workspace && known.base === base
    if (isTheirs && (known.said === null || known.said.until > now)) return known.making
    const answer: RecentAnswer = { workspace, base, said: null, making: make().then(text => keep(text)) }
    const keep = (text: string): Said => {
      const isCurrent = this.#answers.get(jobId) === answer
      answer.said = { text, until: isCurrent ? now + sameForMs : 0 }
      return answer.said
    }
    this.#answers.set(jobId, answer)
    answer.making.catch(() => this.#answers.delete(jobId))
    return answer.making
  }
}

async function statusText(
  server: Server,
  request: FastifyRequest,
  jobId: string,
  rates: RecentRates,
): Promise<string> {
  const { id } = await ownedJob(server, request.caller, jobId)
  return JSON.stringify(mapKeys(await shownStatus(server, request, id, rates.of(id)), snake))
}

async function shownStatus(server: Server, request: FastifyRequest, jobId: string, perSecond: number) {
  const progress = await server.parts.engine.progress(jobId)
  const { job, counts, inFlight, waiting, retries, hosts, pace } = progress
  const now = server.parts.clock.now()
  const { source: _source, ...ingest } = job.ingest
  return {
    ...shownJob(job, baseUrl(server, request)),
    counts: shownCounts(counts),
    asked: await shownAsked(server, job),
    progress: { done: doneOf(progress), total: counts.tasks, inFlight, isTotalKnown: isTotalKnown(job) },
    rates: { tasksPerSecond: rounded(perSecond), averageTasksPerSecond: averageOf(progress, now) },
    hosts: { active: hosts, busiest: await busiestHosts(server, progress) },
    waiting: waiting.map(shownWait),
    retries: { tasks: retries.tasks, nextAt: isoTimeOrNull(retries.nextAt) },
    pace: pace && shownPace(pace),
    estimate: estimateOf(progress, perSecond),
    ingest,
  }
}

const shownPace = (pace: JobPace) => ({
  perSecond: pace.perSecond === null ? null : rounded(pace.perSecond),
  reason: pace.reason,
  why: paceText(pace),
  slowestHost: pace.host,
  pages: pace.pages,
  secondsLeft: Math.ceil(pace.leftMs / 1_000),
})

const rounded = (value: number): number => Math.round(value * 100) / 100

const doneOf = ({ counts: { byState } }: JobProgress): number =>
  byState.succeeded + byState.failed + byState.skipped + byState.cancelled

const isTotalKnown = (job: Job): boolean => hasEnded(job.state) || (job.kind === 'list' && job.ingest.done)

function averageOf(progress: JobProgress, now: number): number | null {
  const { startedAt, finishedAt } = progress.job
  if (startedAt === null) return null
  return rounded(doneOf(progress) / Math.max(1, ((finishedAt ?? now) - startedAt) / 1_000))
}

async function busiestHosts({ parts }: Server, { job, counts }: JobProgress) {
  if (counts.tasks > mostTasksForHosts) return null
  const { hosts } = parts.store
  const busiest = await hosts.ofJob(job.id, shownHosts)
  const isOver = hasEnded(job.state)
  return Promise.all(
    busiest.map(async ({ host, byState }) => {
      const state = isOver ? null : await hosts.get(host)
      return { host, byState, trouble: state ? hostTrouble(state, parts.clock.now()) : [] }
    }),
  )
}

/** The estimated time until the job ends. It covers only known tasks, because a crawl may find more pages. */
function estimateOf(progress: JobProgress, perSecond: number): { seconds: number | null; why: string } {
  const { job, counts } = progress
  const left = counts.tasks - doneOf(progress)
  if (hasEnded(job.state)) return { seconds: 0, why: 'the job has ended' }
  if (job.state === 'paused') return { seconds: null, why: 'the job is paused' }
  if (!job.ingest.done) return { seconds: null, why: 'the source is still being read' }
  if (job.kind !== 'list') return { seconds: null, why: 'the crawl may still find more pages' }
  const { pace } = progress
  if (pace && pace.leftMs > 0)
    return { seconds: Math.ceil(pace.leftMs / 1_000), why: `${left} tasks at ${paceText(pace)}` }
  if (perSecond === 0) return { seconds: null, why: 'nothing ended in the last minute' }
  return { seconds: Math.ceil(left / perSecond), why: `${left} tasks at the pace of the last minute` }
}
