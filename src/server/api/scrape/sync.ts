// POST /api/v1/scrape/sync: the answer is the record, or why there is none.
import { Failure, type FailureCode } from '../../../model/failures.ts'
import type { Job } from '../../../model/job.ts'
import { isTerminal, type Task } from '../../../model/task.ts'
import { taskShown } from '../../../pipeline/report/scrape-answers.ts'
import { scrapeTaskId } from '../../../pipeline/report/scrape-ids.ts'
import type { App, FastifyReply } from '../../app.ts'
import type { Server } from '../../parts.ts'
import { taskFailure, whyLate } from '../../task-failure.ts'
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
        summary: 'Scrape one page, and answer with its record',
        description:
          'Within `timeout_s`, else the response is 504 and the task is cancelled. If the page cannot arrive in time, the response comes at once: it has the reason and `retry_after`.',
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

/** Whoever hung up waits no longer; the task goes on, and can be asked for. */
function goneWith(reply: FastifyReply): AbortSignal {
  const gone = new AbortController()
  reply.raw.once('close', () => gone.abort())
  return gone.signal
}

/** A host that is resting would make the caller wait for longer than any answer may take. */
async function refuseOpenCircuit({ parts }: Server, url: string): Promise<void> {
  const { host } = new URL(url)
  const state = await parts.store.hosts.get(host)
  const restMs = (state?.breakerUntil ?? 0) - parts.clock.now()
  if (state?.breaker !== 'open' || restMs <= 0) return
  throw new Failure(
    'host.not-now',
    `${host} failed too often and is not asked for another ${Math.ceil(restMs / 1_000)} s; ask again then, or send it to /api/v1/scrape, where it waits`,
    { host, retryAfterMs: restMs },
  )
}

/** The task when it succeeded; throws what happened otherwise. */
async function taskAfter(server: Server, job: Job, ending: Ending, timeoutMs: number): Promise<Task> {
  const { store } = server.parts
  const why = ending.is === 'late' ? await whyLate(server.parts, job.id) : ''
  if (ending.is === 'late' || ending.is === 'stuck') await giveUp(server, job)
  const task = await store.tasks.get(job.id, 1)
  if (task?.state === 'succeeded') return task
  const names = { taskId: scrapeTaskId(job.id, 1), jobId: job.id }
  if (task && isTerminal(task.state) && task.state !== 'cancelled') throw failureOf(server, task, names)
  if (ending.is === 'stuck')
    throw new Failure(ending.reason as FailureCode, ending.message ?? `${task?.url} has to wait`, names)
  if (ending.is === 'late') throw late(names, timeoutMs, why)
  if (ending.is === 'ended')
    throw new Failure('job.wrong-state', 'the task was cancelled while its record was waited for', names)
  throw new Failure('worker.stopping', 'the service is stopping; the task goes on when it is back', names)
}

/** Aborts what is under way. The task can still be read by its id. */
async function giveUp({ parts }: Server, { id }: Job): Promise<void> {
  // It may have ended just now: then there is nothing to cancel.
  await parts.engine.steer(id, 'cancel').catch(error => {
    if (!(error instanceof Failure) || error.code !== 'job.wrong-state') throw error
  })
}

function failureOf({ parts }: Server, task: Task, names: Record<string, string>): Failure {
  return taskFailure(task, parts.clock.now(), names)
}

const late = (names: Record<string, string>, timeoutMs: number, why: string): Failure =>
  new Failure(
    'task.deadline',
    `the task was not done within ${timeoutMs / 1_000} s and was cancelled: ${why}; /api/v1/scrape waits longer, and tells a callback_url`,
    names,
  )
