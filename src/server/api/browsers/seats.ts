// /browsers: lists open browser pages, shows a live view of a page, and lets a person control a page.
import * as z from 'zod'
import { askBus } from '../../../lib/bus-calls.ts'
import { type Caller, mayWatch } from '../../../model/access.ts'
import { browserList, browserView } from '../../../model/api/browsers.ts'
import { Failure } from '../../../model/failures.ts'
import { chosenId, id } from '../../../model/ids.ts'
import { type OpenSeat, type SeatCommand, type SeatView, seatInput, seatsTopic } from '../../../model/seat.ts'
import type { App } from '../../app.ts'
import { refuseUnlessGranted } from '../../consent.ts'
import { isoTime, problemSchema } from '../../http/responses.ts'
import type { Server } from '../../parts.ts'
import type { BrowserConnections } from './connections.ts'

const params = z.object({ browserId: z.string().min(1).max(100) })
const done = z.object({
  browserId: z.string(),
  paused: z.boolean().optional(),
  session: z.string().optional(),
})
const problems = { 403: problemSchema, 404: problemSchema, 409: problemSchema, 504: problemSchema }

/** Timeout of a request to a worker. A screenshot of a busy page can take up to five seconds. */
const answerWithinMs = 8_000

export function addSeats(app: App, server: Server, connections: BrowserConnections): void {
  const { parts } = server
  const seatsOf = async ({ workspace }: Caller): Promise<OpenSeat[]> => {
    const seats = parts.fleet().browserPool?.seats ?? []
    const jobs = new Map<string, Promise<boolean>>()
    const isOwn = async (jobId: string) => (await parts.store.jobs.get(jobId))?.workspace === workspace
    for (const { jobId } of seats) jobs.set(jobId, jobs.get(jobId) ?? isOwn(jobId))
    const own = await Promise.all(seats.map(({ jobId }) => jobs.get(jobId)))
    return seats.filter((_, index) => own[index])
  }
  const command = async <Answer>(caller: Caller, browserId: string, asked: Asked): Promise<Answer> => {
    refuseUnlessWatching(caller)
    const seat = (await seatsOf(caller)).find(one => one.id === browserId)
    if (!seat) throw unknownBrowser(browserId)
    const noAnswer = () => unknownBrowser(browserId)
    return askBus<Answer>(
      parts.bus,
      seatsTopic,
      { seat: browserId, ...asked },
      { withinMs: answerWithinMs, noAnswer },
    )
  }
  app.get(
    '/browsers',
    {
      config: { scope: 'read' },
      schema: {
        summary: 'List browser pages in use, and clients that wait for one',
        description:
          'Pages of tasks and of connections to `/cdp` and `/playwright`. The list is at most a few seconds old.',
        response: { 200: browserList },
      },
    },
    async ({ caller }) => ({
      browsers: (await seatsOf(caller)).map(shown),
      waiting: connections.all.flatMap(one => {
        const position = one.workspace === caller.workspace ? connections.positionOf(one) : null
        if (position === null) return []
        return [{ connectionId: one.id, jobId: chosenId(one.jobId), position, since: isoTime(one.createdAt) }]
      }),
    }),
  )
  app.get(
    '/browsers/:browserId/view',
    {
      config: { scope: 'read' },
      schema: {
        summary: 'Get a screenshot of a browser page',
        description: 'Needs a key with the scope `live_view`: the page may show a login.',
        params,
        querystring: z.strictObject({
          scale: z.coerce
            .number()
            .min(0.05)
            .max(1)
            .default(1)
            .describe('Scale of the image: 1 is full size, 0.25 a thumbnail.'),
        }),
        response: { 200: browserView, ...problems },
      },
    },
    async ({ caller, params: { browserId }, query: { scale } }) => {
      const { isPaused, ...look } = await command<SeatView>(caller, browserId, { do: 'look', scale })
      return { ...look, paused: isPaused }
    },
  )
  for (const steer of ['pause', 'resume'] as const)
    app.post(
      `/browsers/:browserId/${steer}`,
      {
        config: { scope: 'submit' },
        schema: {
          summary:
            steer === 'pause' ? 'Pause a browser page, to control it by hand' : 'Resume a browser page',
          description:
            steer === 'pause'
              ? 'A task stops before its next step, and its timeout is suspended. Commands of a client wait. After 15 minutes the page continues automatically.'
              : 'The task or the client continues.',
          params,
          response: { 200: done, ...problems },
        },
      },
      async ({ caller, params: { browserId } }) => {
        await command(caller, browserId, { do: steer })
        return { browserId, paused: steer === 'pause' }
      },
    )
  app.post(
    '/browsers/:browserId/input',
    {
      config: { scope: 'submit' },
      schema: {
        summary: 'Send mouse and keyboard input to a paused browser page',
        params,
        body: seatInput.meta({ examples: [{ type: 'click', x: 120, y: 80 }] }),
        response: { 200: done, ...problems },
      },
    },
    async ({ caller, params: { browserId }, body }) => {
      await command(caller, browserId, { do: 'input', input: body })
      return { browserId }
    },
  )
  app.post(
    '/browsers/:browserId/session',
    {
      config: { scope: 'submit' },
      schema: {
        summary: 'Save the login of a browser page',
        description:
          'Stores cookies and storage under this name. Jobs and connections use them with `session`. Needs the scope `credentials`.',
        params,
        body: z.strictObject({ name: id }).meta({ examples: [{ name: 'shop-login' }] }),
        response: { 200: done, ...problems },
      },
    },
    async ({ caller, params: { browserId }, body: { name: session } }) => {
      refuseUnlessGranted(server, caller, 'credentials', 'name')
      await command(caller, browserId, { do: 'save', session, workspace: caller.workspace })
      return { browserId, session }
    },
  )
  app.delete(
    '/browsers/:browserId',
    {
      config: { scope: 'submit' },
      schema: {
        summary: 'End the browser of a client',
        description: 'The page of a task ends with its job; cancel the job instead.',
        params,
        response: { 200: done, ...problems },
      },
    },
    async ({ caller, params: { browserId } }) => {
      await command(caller, browserId, { do: 'end' })
      return { browserId }
    },
  )
}

type Asked = SeatCommand extends infer Command
  ? Command extends SeatCommand
    ? Omit<Command, 'seat'>
    : never
  : never

const shown = ({ id: browserId, jobId, n, openedAt, isPaused, worker, kind, url, step }: OpenSeat) => ({
  ...{ browserId, kind, jobId: chosenId(jobId), task: n, url, step, worker: worker ?? null },
  ...{ openedAt: isoTime(openedAt), paused: isPaused },
})

function refuseUnlessWatching({ scopes }: Caller): void {
  if (mayWatch(scopes)) return
  throw new Failure(
    'request.forbidden',
    `this needs a key with the scope "live_view"; yours has ${scopes.join(', ')}`,
    { needs: 'live_view' },
  )
}

const unknownBrowser = (browserId: string): Failure =>
  new Failure(
    'item.unknown',
    `there is no browser "${browserId}" now; GET /browsers lists the pages in use`,
    {
      browserId,
    },
  )
