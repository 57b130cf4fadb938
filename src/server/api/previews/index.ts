// The previews API: before a job is created, it shows one page, and what extraction rules find in it.

import { defined } from '../../../lib/defined.ts'
import {
  describeBody,
  extractBody,
  look as lookSchema,
  type PreviewBody,
  previewBody,
  previewParams,
  preview as previewSchema,
  triedRules,
} from '../../../model/api/previews.ts'
import { asFailure, Failure, type FailureCode, failures } from '../../../model/failures.ts'
import { hasEnded, type Job } from '../../../model/job.ts'
import { headerOf, type Page } from '../../../model/page/page.ts'
import { pickAnswer, pickBody } from '../../../model/picking.ts'
import { renderModeOf } from '../../../model/policy/render-mode.ts'
import type { Task } from '../../../model/task.ts'
import { artifactNames, readTaskPage } from '../../../pipeline/report/item-artifacts.ts'
import { parseJobSpec } from '../../../pipeline/submit/submit-job.ts'
import type { App, FastifyRequest, RouteGroup } from '../../app.ts'
import { awaitTask, stuckFailure } from '../../await-task.ts'
import { isoTime, problemSchema } from '../../http/responses.ts'
import { goneWith, stoppingFailure } from '../../job-watch.ts'
import { ownedJob } from '../../owned-job.ts'
import type { Server } from '../../parts.ts'
import { submitFor } from '../../submit.ts'

const label = { purpose: 'preview' }
const keptForMs = 60 * 60_000
const mostCharacters = 2_000_000
const problems = { 403: problemSchema, 422: problemSchema, 502: problemSchema, 504: problemSchema }

export const previewsApi: RouteGroup = {
  name: 'previews',
  about: 'Preview of one page: text, markdown, HTML, a screenshot, and the record that rules extract.',
  addRoutes(app, server) {
    addLooking(app, server)
    addTrying(app, server)
    addPicking(app, server)
    addDescribing(app, server)
  },
}

function addLooking(app: App, server: Server): void {
  app.post(
    '/previews',
    {
      config: { scope: 'submit' },
      schema: {
        summary: 'Preview a page and its records',
        description:
          'The service fetches the page like a page of a job: robots.txt, the rate of the host and the do-not-crawl list apply.',
        body: previewBody,
        response: { 200: previewSchema, ...problems },
      },
    },
    async (request, reply) => {
      await forgetOld(server, request)
      const gone = goneWith(reply)
      const { job } = await submitFor(server, request.caller, specOf(request.body), { face: 'jobs' })
      const task = await fetched(server, job, request.body, gone)
      return shown(server, job, task, request.body)
    },
  )
}

function addTrying(app: App, server: Server): void {
  app.post(
    '/previews/:previewId/extract',
    {
      config: { scope: 'submit' },
      schema: {
        summary: 'Try other rules on the page of a preview, without a new request',
        params: previewParams,
        body: extractBody,
        response: { 200: triedRules, 404: problemSchema, 422: problemSchema },
      },
    },
    async request => {
      const { previewId } = request.params
      const page = await keptPage(server, request)
      return { previewId, ...(await server.parts.tryRules(page, request.body.extract)) }
    },
  )
}

function addPicking(app: App, server: Server): void {
  app.get(
    '/previews/:previewId/look',
    {
      config: { scope: 'submit' },
      schema: {
        summary:
          'Get the page of a preview for display: markup, style sheets, fonts and images, without scripts',
        description:
          'The service fetches the files of the page once, without cookies, within limits of number and size. It leaves out files that cannot be fetched.',
        params: previewParams,
        response: { 200: lookSchema, 404: problemSchema, 422: problemSchema },
      },
    },
    async request => {
      const look = await server.parts.pageLook(await keptPage(server, request))
      if (look) return look
      throw new Failure(
        'content.unsupported',
        `preview ${request.params.previewId} is not an HTML page; fields can be picked only from HTML pages`,
      )
    },
  )
  app.post(
    '/previews/:previewId/pick',
    {
      config: { scope: 'submit' },
      schema: {
        summary: 'Propose list rows and field selectors for a click in the page of a preview',
        params: previewParams,
        body: pickBody,
        response: { 200: pickAnswer, 404: problemSchema, 422: problemSchema },
      },
    },
    async request => server.parts.pick(await keptPage(server, request), request.body),
  )
}

function addDescribing(app: App, server: Server): void {
  app.post(
    '/previews/:previewId/describe',
    {
      config: { scope: 'submit' },
      schema: {
        summary: 'Propose fields for a description, with a language model',
        description:
          'Needs a model (SCRAPER_LLM_BASE_URL). The model only chooses elements. The service makes the selectors in the same way as for clicks.',
        params: previewParams,
        body: describeBody,
        response: { 200: pickAnswer, 404: problemSchema, 422: problemSchema, 501: problemSchema },
      },
    },
    async (request, reply) => {
      const { describe } = server.parts
      const gone = goneWith(reply)
      if (!describe)
        throw new Failure(
          'feature.missing',
          'no language model is set up: set SCRAPER_LLM_BASE_URL and SCRAPER_LLM_MODEL, or click in the page',
        )
      return describe(await keptPage(server, request), request.body.prompt, gone)
    },
  )
}

/** The stored page of a preview. */
async function keptPage(
  server: Server,
  { caller, params }: Pick<FastifyRequest, 'caller'> & { params: { previewId: string } },
): Promise<Page> {
  const { id } = await ownedJob(server, caller, params.previewId)
  const task = await server.parts.store.tasks.get(id, 1)
  const page = task && (await readTaskPage(server.parts, task))
  if (page) return page
  throw new Failure('artifact.unknown', `the page of preview ${id} was deleted; create a new preview`)
}

export function specOf({ url, render, waitFor, headers, userAgent, extract }: PreviewBody) {
  const isBrowser = render === true || render === 'always'
  return parseJobSpec({
    ...{ urls: [url], labels: label, headers },
    ...defined({ render, userAgent }),
    ...(extract && { extract }),
    rendering: { screenshot: isBrowser, ...defined({ waitFor }) },
  })
}

/** Returns the task when its page is stored, even if extraction failed. Throws the reason if there is no page. */
async function fetched(server: Server, job: Job, asked: PreviewBody, gone: AbortSignal): Promise<Task> {
  const { parts } = server
  const notDone = (why: string): string => `${asked.url} was not fetched within ${asked.timeoutS} s: ${why}`
  const wait = { timeoutMs: asked.timeoutS * 1_000, gone, notDone, continues: false }
  const { ending, late, task } = await awaitTask(server, job.id, wait)
  if (task && (await readTaskPage(parts, task).catch(() => null))) return task
  if (late) throw late
  if (ending.is === 'stuck') throw stuckFailure(ending, `${asked.url} must wait`)
  if (ending.is === 'stopping') throw stoppingFailure(server)
  const code = task?.reason && task.reason in failures ? (task.reason as FailureCode) : 'worker.stopping'
  throw new Failure(code, task?.message ?? `${asked.url} could not be fetched (${code})`)
}

async function shown(server: Server, job: Job, task: Task, { extract }: PreviewBody) {
  const { store } = server.parts
  const attempts = await store.tasks.attempts(job.id, task.n)
  const page = (await readTaskPage(server.parts, task)) as Page
  const texts = await server.parts.pageTexts(page)
  const tried = await server.parts.tryRules(page, extract).catch(asFailure)
  return {
    ...{
      previewId: job.id,
      itemId: 'task-1',
      url: task.url,
      finalUrl: page.finalUrl,
      httpStatus: page.status,
    },
    ...{ contentType: headerOf(page.headers, 'content-type'), bytes: page.body.length },
    ...{ way: attempts.at(-1)?.way ?? ('http' as const), render: renderModeOf(job.spec) },
    hasModel: server.parts.describe !== null,
    renderedWhy: attempts.find(({ outcome }) => outcome === 'render.needed')?.message ?? null,
    ...{ fetchedAt: isoTime(page.startedAt), durationMs: page.endedAt - page.startedAt },
    ...{ title: texts?.title ?? null, text: short(texts?.text), markdown: short(texts?.markdown) },
    ...{ html: short(texts?.html), artifacts: artifactNames(attempts) },
    ...(tried instanceof Failure
      ? { maker: '', records: [], problem: { code: tried.code, message: tried.message } }
      : tried),
  }
}

const short = (text: string | undefined): string | null => text?.slice(0, mostCharacters) ?? null

/** Deletes a few old previews with every new preview, so that their number stays small. */
async function forgetOld({ parts }: Server, { caller }: FastifyRequest): Promise<void> {
  const createdBefore = parts.clock.now() - keptForMs
  const { workspace } = caller
  const old = await parts.store.jobs.list({ workspace, labels: label, createdBefore, limit: 10 })
  for (const { id, state } of old) if (hasEnded(state)) await parts.engine.delete(id).catch(() => {})
}
