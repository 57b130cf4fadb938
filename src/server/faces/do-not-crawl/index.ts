// The do-not-crawl face: the operator's lists, and the doors where site owners ask to be left alone.
import * as z from 'zod'
import { crawlPattern, type HostListing, listingStates } from '../../../model/conduct.ts'
import { Failure } from '../../../model/failures.ts'
import { id } from '../../../model/ids.ts'
import { isoTime, isoTimeOrNull, pageQuery, problemSchema } from '../../answers.ts'
import type { App, Face, FastifyRequest } from '../../app.ts'
import { cursorOf, placeIn } from '../../cursors.ts'
import { keepToOperators } from '../../operators-only.ts'
import type { Server } from '../../parts.ts'
import { addPage, addRequests } from './public.ts'
import { newListingId } from './requests.ts'

const config = { scope: 'admin' } as const

const shownListing = z.object({
  listingId: z.string(),
  list: z.enum(['deny', 'allow']),
  pattern: z.string(),
  status: z
    .enum(listingStates)
    .describe('In force when `proved` by the site, or `approved` by the operator.'),
  reason: z.string().nullable(),
  contact: z.string().nullable(),
  createdAt: z.string(),
  decidedAt: z.string().nullable(),
  decidedBy: z.string().nullable(),
})

const params = z.object({ listingId: id })

export const doNotCrawlFace: Face = {
  name: 'do-not-crawl',
  about:
    'What no job asks for, and, where there is an allow list, what alone is asked. The deny list wins. Site owners ask to be left alone at `/do-not-crawl/request`.',
  addRoutes(app, server) {
    keepToOperators(app)
    addLists(app, server)
    addDeciding(app, server)
    addRequests(app, server)
    addPage(app, server)
  },
}

function addLists(app: App, { parts }: Server): void {
  const { conduct } = parts.store
  app.get(
    '/do-not-crawl',
    {
      config,
      schema: {
        summary: 'The lists, newest first',
        querystring: z.strictObject({
          list: z.enum(['deny', 'allow']).optional(),
          status: z.enum(listingStates).optional(),
          ...pageQuery,
        }),
        response: {
          200: z.object({ listings: z.array(shownListing), nextCursor: z.string().nullable() }),
          422: problemSchema,
        },
      },
    },
    async request => {
      const { list, status, limit, cursor } = request.query
      const place = placeIn(cursor, z.string())
      const found = await conduct.listings({
        limit,
        ...(list && { list }),
        ...(status && { states: [status] }),
        ...(place !== undefined && { cursor: place }),
      })
      const last = found.length === limit ? found.at(-1) : undefined
      return { listings: found.map(shown), nextCursor: last ? cursorOf(last.id) : null }
    },
  )
  app.post(
    '/do-not-crawl',
    {
      config,
      schema: {
        summary: 'Enter a host into a list',
        description: 'In force at once, also for jobs that run: tasks for it end as `host.denied`.',
        body: z
          .strictObject({
            list: z.enum(['deny', 'allow']).default('deny'),
            pattern: z
              .string()
              .max(2_000)
              .describe(
                '`example.com` (on every port), `example.com:8080`, `*.example.com` with its subdomains, `example.com/path`.',
              ),
            reason: z.string().max(2_000).optional(),
          })
          .meta({ examples: [{ pattern: '*.example.com', reason: 'they asked by mail' }] }),
        response: { 201: shownListing, 422: problemSchema },
      },
    },
    async (request, reply) => {
      const { list, pattern, reason } = request.body
      const at = parts.clock.now()
      const entry: HostListing = {
        ...{ id: newListingId(), list, pattern: patternOf(pattern), state: 'approved' },
        ...{ reason: reason ?? null, contact: null, token: null },
        ...{ createdAt: at, decidedAt: at, decidedBy: request.caller.keyId },
      }
      await conduct.enterListing(entry)
      await parts.hosts.refresh()
      return reply.code(201).send(shown(entry))
    },
  )
}

function patternOf(text: string): string {
  const pattern = crawlPattern(text)
  if (pattern) return pattern
  const ways = 'write it like example.com, *.example.com or example.com/path'
  throw new Failure('input.invalid', `pattern: "${text.slice(0, 100)}" names no place; ${ways}`, {
    path: 'pattern',
  })
}

const decisions = {
  approve: { state: 'approved', summary: 'Agree to a request: it is in force at once' },
  refuse: { state: 'refused', summary: 'Turn a request down' },
} as const

function addDeciding(app: App, { parts }: Server): void {
  const { conduct } = parts.store
  const response = { 200: shownListing, 404: problemSchema }
  for (const [word, { state, summary }] of Object.entries(decisions))
    app.post(
      `/do-not-crawl/:listingId/${word}`,
      { config, schema: { summary, params, response } },
      async request => {
        const { id: listingId } = await known(parts, request)
        await conduct.decide(listingId, { state, by: request.caller.keyId, at: parts.clock.now() })
        await parts.hosts.refresh()
        return shown(await known(parts, request))
      },
    )
  app.get(
    '/do-not-crawl/:listingId',
    { config, schema: { summary: 'An entry', params, response } },
    async request => shown(await known(parts, request)),
  )
  app.delete(
    '/do-not-crawl/:listingId',
    { config, schema: { summary: 'Take an entry off the lists', params, response } },
    async request => {
      const listing = await known(parts, request)
      await conduct.deleteListing(listing.id)
      await parts.hosts.refresh()
      return shown(listing)
    },
  )
}

async function known({ store }: Server['parts'], request: FastifyRequest): Promise<HostListing> {
  const { listingId } = request.params as { listingId: string }
  const listing = await store.conduct.listing(listingId)
  if (listing) return listing
  throw new Failure('listing.unknown', `there is no entry "${listingId}"; GET /do-not-crawl lists them`)
}

const shown = ({
  id: listingId,
  state: status,
  createdAt,
  decidedAt,
  token: _token,
  ...rest
}: HostListing) => ({
  ...rest,
  ...{ listingId, status, createdAt: isoTime(createdAt), decidedAt: isoTimeOrNull(decidedAt) },
})
