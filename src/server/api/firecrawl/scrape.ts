// POST /scrape: fetches one page and waits for it. GET returns the same document by its id.
import { randomUUID } from 'node:crypto'
import { Failure, type FailureCode } from '../../../model/failures.ts'
import { parseTaskId } from '../../../model/ids.ts'
import type { Job } from '../../../model/job.ts'
import { isTerminal } from '../../../model/task.ts'
import type { App, FastifyReply } from '../../app.ts'
import { stoppingFailure } from '../../job-watch.ts'
import type { Server } from '../../parts.ts'
import { submitFor } from '../../submit.ts'
import { failureWhenLate, taskFailure } from '../../task-failure.ts'
import { type Ending, endingOf } from '../scrape/task-watch.ts'
import { type Document, documentOf } from './document.ts'
import type { ScrapeOptions } from './options.ts'
import { countTokens, preparedOptions } from './prepare-options.ts'
import { hidden, readBody, specContext, theirJob } from './routes.ts'
import { bodies, type TheirOptions, type Version } from './schemas.ts'
import { listSpec } from './spec.ts'
import { requestLabels, type StoredRequest, wantedOf } from './stored-request.ts'

export function addScraping(app: App, server: Server, version: Version): void {
  app.post(`/v${version}/scrape`, { ...hidden, config: { scope: 'submit' } }, async (request, reply) => {
    const { url, ...given } = readBody(bodies[version].scrape, request.body)
    const options = await preparedOptions(server, request.caller, { version, given } as TheirOptions)
    refuseLongWait(options)
    const jobId = randomUUID()
    const kept: StoredRequest = { kind: 'scrape', version, url, wanted: wantedOf(options), webhook: null }
    const context = { ...specContext(server, request.caller, jobId), labels: requestLabels(kept) }
    const { job } = await submitFor(
      server,
      request.caller,
      listSpec([url], options, context, { isAwaited: true }),
      {
        face: 'firecrawl',
      },
    )
    await countTokens(server, job.id, options.tokens)
    const ending = await endingOf(server, job.id, options.timeoutMs, goneWith(reply))
    await refuseUnlessDone(server, job, ending, options.timeoutMs)
    return answer(await firstDocument(server, job, kept))
  })
  addLookingAgain(app, server, version)
}

/** The response as Firecrawl's clients expect it; keys are not converted to snake_case. */
const answer = (data: Document) => ({
  success: true,
  data,
  ...(data.warning !== undefined && { warning: data.warning }),
})

function refuseLongWait({ waitForMs, timeoutMs }: ScrapeOptions): void {
  if (waitForMs <= timeoutMs / 2) return
  throw new Failure(
    'input.invalid',
    `waitFor: ${waitForMs} ms is more than half of the timeout of ${timeoutMs} ms; raise timeout or lower waitFor`,
    { path: 'waitFor' },
  )
}

function goneWith(reply: FastifyReply): AbortSignal {
  const gone = new AbortController()
  reply.raw.once('close', () => gone.abort())
  return gone.signal
}

async function refuseUnlessDone(server: Server, job: Job, ending: Ending, timeoutMs: number): Promise<void> {
  const { store, engine } = server.parts
  const notDone = (why: string): string =>
    `the page was not done within ${timeoutMs} ms: ${why}; raise timeout, or send it as a batch`
  const late = ending.is === 'late' ? await failureWhenLate(server.parts, job.id, notDone) : null
  if (ending.is === 'late' || ending.is === 'stuck') await engine.steer(job.id, 'cancel').catch(unlessEnded)
  const task = await store.tasks.get(job.id, 1)
  if (task?.state === 'succeeded') return
  if (task && isTerminal(task.state) && task.state !== 'cancelled')
    throw taskFailure(task, server.parts.clock.now())
  if (ending.is === 'stuck')
    throw new Failure(ending.reason as FailureCode, ending.message ?? `${task?.url} must wait`)
  if (late) throw late
  if (ending.is === 'ended')
    throw new Failure('job.wrong-state', 'the scrape was cancelled before it was done')
  throw stoppingFailure(server)
}

function unlessEnded(error: unknown): void {
  if (!(error instanceof Failure) || error.code !== 'job.wrong-state') throw error
}

async function firstDocument(server: Server, job: Job, kept: StoredRequest, n = 1): Promise<Document> {
  const [record] = await server.parts.store.records.ofTask(job.id, n)
  if (record) return documentOf(server.parts, job, kept, record)
  throw new Failure(
    'content.unsupported',
    'the page gave no document: the model did not find the fields of json in it',
  )
}

function addLookingAgain(app: App, server: Server, version: Version): void {
  app.get<{ Params: { jobId: string } }>(
    `/v${version}/scrape/:jobId`,
    { ...hidden, config: { scope: 'read' } },
    async request => {
      const { jobId, n } = parseTaskId(request.params.jobId) ?? { jobId: request.params.jobId, n: 1 }
      const { job, kept } = await theirJob(server, request.caller, jobId)
      const task = await server.parts.store.tasks.get(job.id, n)
      if (task?.state !== 'succeeded')
        throw task && isTerminal(task.state) ? taskFailure(task, server.parts.clock.now()) : notYet(job)
      return answer(await firstDocument(server, job, kept, n))
    },
  )
}

const notYet = ({ id }: Job): Failure =>
  new Failure('job.wrong-state', `scrape ${id} is not done yet; retry later`)
