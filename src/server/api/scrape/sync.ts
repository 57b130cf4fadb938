// POST /api/v1/scrape/sync: the response is the record, or the reason why there is none.
import { Failure, type FailureCode } from '../../../model/failures.ts'
import type { Job } from '../../../model/job.ts'
import { isTerminal, type Task } from '../../../model/task.ts'
import { taskShown } from '../../../pipeline/report/scrape-answers.ts'
import { scrapeTaskId } from '../../../pipeline/report/scrape-ids.ts'
import type { App, FastifyReply } from '../../app.ts'
import type { Server } from '../../parts.ts'
import { answeredWithin, failureWhenLate, taskFailure } from '../../task-failure.ts'
import type { Reception } from './accept.ts'
import { refusals } from './create.ts'
import { enveloped, envelopeOf, problemEnvelope } from './envelope.ts'
import { scrapeBody, scrapeExample, shownTask } from './schemas.ts'
import { timeoutMsOf } from './spec.ts'
import { type Ending, endingOf } from './task-watch.ts'

export function addSync(app: App, server: Server, reception: Reception): void {
  app.post(
    '/api/v1/scrape/sync',
    {
      config: { scope: 'submit' },
      schema: {
        summary: 'Scrape one page and return its record',
        description:
          'Waits up to `timeout_s`; after that the response is 504 and the task is cancelled. If the page cannot arrive in time, the response comes at once, with the reason and `retry_after`.',
        body: scrapeBody.meta({ examples: [scrapeExample] }),
        response: {
          200: envelopeOf(shownTask),
          ...refusals,
          424: problemEnvelope,
          502: problemEnvelope,
          503: problemEnvelope,
          504: problemEnvelope,
        },
      },
    },
    async (request, reply) => {
      const { body } = request
      const refuse = () => refuseOpenCircuit(server, body.url)
      const scrape = { targets: [body], common: body, isBatch: false, isAwaited: true, refuse }
      const job = await reception.accept(scrape, request, reply)
      const timeoutMs = timeoutMsOf(body)
      const ending = await endingOf(server, job.id, timeoutMs, goneWith(reply))
      const task = await taskAfter(server, job, ending, timeoutMs)
      return reply.send(enveloped(await taskShown(server.parts.store, job, task), request))
    },
  )
}

/** A signal that is aborted when the client disconnects. The wait then ends, but the task continues, and its result can be
 *  read later. */
function goneWith(reply: FastifyReply): AbortSignal {
  const gone = new AbortController()
  reply.raw.once('close', () => gone.abort())
  return gone.signal
}

/** Refuses the scrape at once if the breaker of the host is open, because a task would only wait until the breaker half-opens. */
async function refuseOpenCircuit({ parts }: Server, url: string): Promise<void> {
  const { host } = new URL(url)
  const state = await parts.store.hosts.get(host)
  const restMs = (state?.breakerUntil ?? 0) - parts.clock.now()
  if (state?.breaker !== 'open' || restMs <= 0) return
  throw new Failure(
    'host.not-now',
    `${host} failed too often and gets no requests for another ${Math.ceil(restMs / 1_000)} s; retry then, or use /api/v1/scrape, which waits`,
    { host, retryAfterMs: restMs },
  )
}

/** Returns the task if it succeeded; otherwise throws the reason. */
async function taskAfter(server: Server, job: Job, ending: Ending, timeoutMs: number): Promise<Task> {
  const { store } = server.parts
  const names = { taskId: scrapeTaskId(job.id, 1), jobId: job.id }
  const notDone = (why: string): string =>
    `the task was not done within ${timeoutMs / 1_000} s and was cancelled: ${why}; /api/v1/scrape waits longer and sends a callback`
  const late = ending.is === 'late' ? await failureWhenLate(server.parts, job.id, notDone, names) : null
  if (ending.is === 'late' || ending.is === 'stuck') await giveUp(server, job)
  const task = await store.tasks.get(job.id, 1)
  if (task?.state === 'succeeded') return task
  if (task && ranOutOfTime(task, server.parts.clock.now() - job.createdAt, timeoutMs))
    throw late ?? new Failure('task.deadline', notDone(task.message ?? 'its request timed out'), names)
  if (task && isTerminal(task.state) && task.state !== 'cancelled') throw failureOf(server, task, names)
  if (ending.is === 'stuck')
    throw new Failure(ending.reason as FailureCode, ending.message ?? `${task?.url} must wait`, names)
  if (late) throw late
  if (ending.is === 'ended')
    throw new Failure('job.wrong-state', 'the task was cancelled before its record was ready', names)
  throw new Failure('worker.stopping', 'the service is stopping; the task continues after the restart', names)
}

/** Whether the task failed because of the caller's timeout, which also limits the request to the site. The caller gets the same
 *  error in both cases. */
export const ranOutOfTime = (
  { state, reason }: Pick<Task, 'state' | 'reason'>,
  tookMs: number,
  timeoutMs: number,
): boolean =>
  state === 'failed' &&
  (reason === 'fetch.timeout' || reason === 'task.deadline') &&
  tookMs >= answeredWithin(timeoutMs).answerWithinMs

/** Cancels the job and aborts its task. The task can still be read by its id. */
async function giveUp({ parts }: Server, { id }: Job): Promise<void> {
  // `job.wrong-state` means that the task has just ended, which is fine.
  await parts.engine.steer(id, 'cancel').catch(error => {
    if (!(error instanceof Failure) || error.code !== 'job.wrong-state') throw error
  })
}

function failureOf({ parts }: Server, task: Task, names: Record<string, string>): Failure {
  return taskFailure(task, parts.clock.now(), names)
}
