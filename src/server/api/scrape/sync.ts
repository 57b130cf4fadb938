// POST /api/v1/scrape/sync: the response is the record, or the reason why there is none.
import { Failure } from '../../../model/failures.ts'
import type { Job } from '../../../model/job.ts'
import type { Task } from '../../../model/task.ts'
import { taskShown } from '../../../pipeline/report/scrape-answers.ts'
import { scrapeTaskId } from '../../../pipeline/report/scrape-ids.ts'
import type { App } from '../../app.ts'
import { awaitTask, whyNoPage } from '../../await-task.ts'
import { goneWith } from '../../job-watch.ts'
import type { Server } from '../../parts.ts'
import { answeredWithin } from '../../task-failure.ts'
import type { Reception } from './accept.ts'
import { refusals } from './create.ts'
import { enveloped, envelopeOf, problemEnvelope } from './envelope.ts'
import { scrapeBody, scrapeExample, shownTask } from './schemas.ts'
import { timeoutMsOf } from './spec.ts'

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
      const task = await taskWithin(server, job, timeoutMs, goneWith(reply))
      return reply.send(enveloped(await taskShown(server.parts.store, job, task), request))
    },
  )
}

/** Refuses the scrape at once if the breaker of the host is open, because a task would only wait until the breaker half-opens. */
async function refuseOpenCircuit({ parts }: Server, url: string): Promise<void> {
  const { host } = new URL(url)
  const state = await parts.store.hosts.get(host)
  const restMs = (state?.breakerUntil ?? 0) - parts.clock.now()
  if (state?.breaker !== 'open' || restMs <= 0) return
  throw new Failure(
    'host.not-now',
    `${host} failed too often, so it gets no requests for ${Math.ceil(restMs / 1_000)} s; retry after this time, or use /api/v1/scrape, which waits`,
    { host, retryAfterMs: restMs },
  )
}

/** Returns the task if it succeeded; otherwise throws the reason. If the client disconnects, the task continues, and its result
 *  can be read later. */
async function taskWithin(server: Server, job: Job, timeoutMs: number, gone: AbortSignal): Promise<Task> {
  const details = { taskId: scrapeTaskId(job.id, 1), jobId: job.id }
  const notDone = (why: string): string =>
    `the task was not done within ${timeoutMs / 1_000} s and was cancelled: ${why}; /api/v1/scrape waits longer and sends a callback`
  const awaited = await awaitTask(server, job.id, { timeoutMs, gone, notDone, details, continues: true })
  const { task, late } = awaited
  if (task?.state === 'succeeded') return task
  if (task && ranOutOfTime(task, server.parts.clock.now() - job.createdAt, timeoutMs))
    throw late ?? new Failure('task.deadline', notDone(task.message ?? 'its request timed out'), details)
  const stopping = 'the service is stopping; the task continues after the restart'
  const texts = {
    cancelled: 'the task was cancelled before its record was ready',
    stopping: new Failure('worker.stopping', stopping, details),
  }
  throw whyNoPage(server, awaited, texts, details)
}

/** Whether the task failed because of the caller's timeout. That timeout also limits the request to the site, so the
 *  task may fail before the wait ends. The caller gets the same error in both cases. */
export const ranOutOfTime = (
  { state, reason }: Pick<Task, 'state' | 'reason'>,
  tookMs: number,
  timeoutMs: number,
): boolean =>
  state === 'failed' &&
  (reason === 'fetch.timeout' || reason === 'task.deadline') &&
  tookMs >= answeredWithin(timeoutMs).answerWithinMs
