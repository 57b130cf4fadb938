// POST /scrape: fetches one page and waits for it. GET returns the same document by its id.
import { randomUUID } from 'node:crypto'
import { Failure } from '../../../model/failures.ts'
import { parseTaskId } from '../../../model/ids.ts'
import type { Job } from '../../../model/job.ts'
import { isTerminal } from '../../../model/task.ts'
import type { App } from '../../app.ts'
import { awaitTask, whyNoPage } from '../../await-task.ts'
import { goneWith, stoppingFailure } from '../../job-watch.ts'
import type { Server } from '../../parts.ts'
import { submitFor } from '../../submit.ts'
import { taskFailure } from '../../task-failure.ts'
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
    await pageDone(server, job, options.timeoutMs, goneWith(reply))
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

/** Resolves when the page is done; otherwise throws the reason. */
async function pageDone(server: Server, job: Job, timeoutMs: number, gone: AbortSignal): Promise<void> {
  const notDone = (why: string): string =>
    `the page was not done within ${timeoutMs} ms: ${why}; raise timeout, or send it as a batch`
  const awaited = await awaitTask(server, job.id, { timeoutMs, gone, notDone, continues: true })
  if (awaited.task?.state === 'succeeded') return
  const texts = {
    cancelled: 'the scrape was cancelled before it was done',
    stopping: stoppingFailure(server),
  }
  throw whyNoPage(server, awaited, texts)
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
