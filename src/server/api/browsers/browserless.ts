// The most used REST routes of Browserless: /content, /screenshot, /pdf, /scrape. Each request is a job that loads one
// page in a browser.
import * as z from 'zod'
import { Failure } from '../../../model/failures.ts'
import { requestHeaders, webUrl } from '../../../model/job.ts'
import type { Rendering } from '../../../model/policy/rendering.ts'
import { readArtifact } from '../../../pipeline/report/item-artifacts.ts'
import { parseJobSpec } from '../../../pipeline/submit/submit-job.ts'
import type { App, FastifyReply, FastifyRequest } from '../../app.ts'
import { awaitTask } from '../../await-task.ts'
import { baseUrl, problemSchema } from '../../http/responses.ts'
import { goneWith, stoppingFailure } from '../../job-watch.ts'
import type { Server } from '../../parts.ts'
import { submitFor } from '../../submit.ts'
import { taskFailure } from '../../task-failure.ts'
import { foreignScope } from './foreign-routes.ts'
import { selectScript } from './select-script.ts'

const milliseconds = z.int().min(0).max(300_000)

/** Fields of all these routes. Unsupported fields are not in the schema, so the validator refuses them by name. */
const common = {
  url: webUrl,
  gotoOptions: z
    .strictObject({
      timeout: milliseconds.optional(),
      waitUntil: z
        .union([z.string(), z.array(z.string())])
        .transform(given => [given].flat())
        .pipe(z.array(z.enum(['load', 'domcontentloaded', 'networkidle0', 'networkidle2'])))
        .optional(),
    })
    .optional(),
  waitForSelector: z
    .strictObject({ selector: z.string().min(1).max(2_000), timeout: milliseconds.optional() })
    .optional(),
  waitForTimeout: milliseconds.optional(),
  setExtraHTTPHeaders: requestHeaders.optional(),
  userAgent: z.string().min(1).max(1_000).optional(),
  rejectResourceTypes: z.array(z.enum(['image', 'font', 'media'])).optional(),
}

const content = z.strictObject(common)
const screenshot = z.strictObject({
  ...common,
  options: z
    .strictObject({ fullPage: z.boolean().default(false), type: z.literal('png').default('png') })
    .optional(),
})
const pdf = z.strictObject({
  ...common,
  options: z
    .strictObject({
      printBackground: z.literal(true).optional(),
      preferCSSPageSize: z.literal(true).optional(),
    })
    .optional(),
})
const scrape = z.strictObject({
  ...common,
  elements: z
    .array(z.strictObject({ selector: z.string().min(1).max(2_000), timeout: milliseconds.optional() }))
    .min(1)
    .max(100),
})

type Common = z.output<typeof content>

const query = z.strictObject({
  token: z.string().optional(),
  timeout: z.coerce.number().int().min(1_000).optional(),
})
const problems = {
  403: problemSchema,
  422: problemSchema,
  502: problemSchema,
  503: problemSchema,
  504: problemSchema,
}
const usualTimeoutMs = 60_000

const element = z.object({
  attributes: z.array(z.object({ name: z.string(), value: z.string() })),
  html: z.string(),
  text: z.string().describe('The text of the element.'),
  ...{ width: z.number(), height: z.number(), top: z.number(), left: z.number() },
})
const scraped = z.object({ data: z.array(z.object({ selector: z.string(), results: z.array(element) })) })

/** Browserless serves every route under the name of each browser, too. Edge is missing because the pool has only
 *  Chromium. */
const prefixes = ['', '/chromium', '/chrome']

export function addBrowserless(app: App, server: Server): void {
  foreignScope(app, null, scope => {
    for (const prefix of prefixes) addPageRoutes(scope, server, prefix)
    addDiscovery(scope, server)
  })
}

/** Clients that are configured with an http: URL request the WebSocket URL here. The returned URL has the query of the
 *  request, which contains the key. */
function addDiscovery(scope: App, server: Server): void {
  // Any query is accepted here; the WebSocket route validates it.
  const schema = { querystring: z.looseObject({}) }
  scope.get('/json/version', { config: { scope: 'submit' }, schema }, async request => {
    const base = baseUrl(server, request as FastifyRequest).replace(/^http/, 'ws')
    const { search } = new URL(request.url, base)
    return { Browser: 'Chrome', 'Protocol-Version': '1.3', webSocketDebuggerUrl: `${base}/cdp${search}` }
  })
}

function addPageRoutes(scope: App, server: Server, prefix: string): void {
  const config = { scope: 'submit' } as const
  const file = (summary: string, type: string) => ({
    summary,
    description: `Same as Browserless; the response is ${type}.`,
    querystring: query,
    response: problems,
  })
  scope.post(
    `${prefix}/content`,
    { config, schema: { ...file('Get the HTML of a rendered page', 'text/html'), body: content } },
    (request, reply) =>
      answerFile(server, request, reply, request.body, {}, 'html', 'text/html; charset=utf-8'),
  )
  scope.post(
    `${prefix}/screenshot`,
    { config, schema: { ...file('Take a screenshot of a page', 'image/png'), body: screenshot } },
    (request, reply) => {
      const rendering = { screenshot: true, fullPage: request.body.options?.fullPage ?? false }
      return answerFile(server, request, reply, request.body, rendering, 'screenshot', 'image/png')
    },
  )
  scope.post(
    `${prefix}/pdf`,
    { config, schema: { ...file('Get a page as PDF', 'application/pdf'), body: pdf } },
    (request, reply) =>
      answerFile(server, request, reply, request.body, { pdf: true }, 'pdf', 'application/pdf'),
  )
  scope.post(
    `${prefix}/scrape`,
    {
      config,
      schema: {
        summary: 'Get elements of a page by selector, with their text, attributes and positions',
        querystring: query,
        body: scrape,
        response: { 200: scraped, ...problems },
      },
    },
    async (request, reply) => {
      const { body } = request
      const { job, task } = await rendered(server, request, reply, body, {
        js: selectScript(body.elements),
      })
      const data = await readArtifact(server.parts, job, task, 'data')
      const [record] = [JSON.parse(String(data?.bytes ?? '[]'))].flat() as Array<{
        data?: { js?: unknown }
        js?: unknown
      }>
      return { data: (record?.data?.js ?? record?.js ?? []) as z.output<typeof scraped>['data'] }
    },
  )
  scope.post(
    `${prefix}/function`,
    {
      config,
      schema: {
        summary: 'Refused: the service does not run code of callers',
        querystring: query,
        body: z.unknown(),
        response: { 403: problemSchema },
      },
    },
    async () => {
      throw new Failure(
        'request.forbidden',
        '/function is refused: the service never runs code of callers in its own processes. Run the code on your side with playwright.chromium.connectOverCDP or puppeteer.connect at /cdp, or send steps in "actions" of POST /jobs',
      )
    },
  )
}

type Asking = FastifyRequest & { query: z.output<typeof query> }

async function answerFile(
  server: Server,
  request: unknown,
  reply: FastifyReply,
  body: Common,
  rendering: Partial<Rendering>,
  name: string,
  type: string,
): Promise<never> {
  const { job, task } = await rendered(server, request as Asking, reply, body, rendering)
  const file = await readArtifact(server.parts, job, task, name)
  if (!file) throw new Failure('artifact.unknown', `${body.url} gave no ${name}`)
  return reply
    .type(type)
    .serializer((payload: unknown) => payload as string)
    .send(file.bytes) as never
}

async function rendered(
  server: Server,
  given: unknown,
  reply: FastifyReply,
  body: Common,
  rendering: Partial<Rendering>,
) {
  const request = given as Asking
  const timeoutMs = request.query.timeout ?? usualTimeoutMs
  const { job } = await submitFor(server, request.caller, specOf(body, rendering, timeoutMs), {
    face: 'browsers',
  })
  const notDone = (why: string): string => `${body.url} did not load within ${timeoutMs} ms: ${why}`
  const wait = { timeoutMs, gone: goneWith(reply), notDone, continues: false }
  const { ending, late, task } = await awaitTask(server, job.id, wait)
  if (ending.is === 'ended' && task?.state === 'succeeded') return { job, task }
  if (late) throw late
  if (ending.is === 'stopping' || !task) throw stoppingFailure(server)
  throw taskFailure(task, server.parts.clock.now())
}

const blocked = { image: 'images', font: 'fonts', media: 'media' } as const

function specOf(body: Common, rendering: Partial<Rendering>, timeoutMs: number) {
  const {
    gotoOptions,
    waitForSelector,
    waitForTimeout,
    rejectResourceTypes,
    setExtraHTTPHeaders,
    userAgent,
  } = body
  const isIdle = gotoOptions?.waitUntil?.some(until => until.startsWith('networkidle'))
  const waitFor = waitForSelector?.selector ?? waitForTimeout ?? (isIdle ? 'networkidle' : undefined)
  const navigationMs = Math.min(timeoutMs, waitForSelector?.timeout ?? gotoOptions?.timeout ?? timeoutMs)
  return parseJobSpec({
    ...{ urls: [body.url], render: 'always', labels: { purpose: 'browserless' } },
    ...(setExtraHTTPHeaders && { headers: setExtraHTTPHeaders }),
    ...(userAgent !== undefined && { userAgent }),
    rendering: {
      ...rendering,
      ...(waitFor !== undefined && { waitFor }),
      block: (rejectResourceTypes ?? []).map(type => blocked[type]),
    },
    policy: {
      browser: { navigationMs: Math.max(1, navigationMs), taskMs: timeoutMs },
      retries: { attempts: 0 },
    },
  })
}
