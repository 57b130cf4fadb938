// The do-not-crawl API: the operator's lists, and the public routes where site owners opt out.

import * as z from 'zod'
import { pageQuery } from '../../../model/api/pages.ts'
import { shownListing as listingSchema } from '../../../model/api/service.ts'
import { type HostListing, listingStates } from '../../../model/conduct.ts'
import { Failure } from '../../../model/failures.ts'
import { id } from '../../../model/ids.ts'
import type { App, FastifyRequest, RouteGroup } from '../../app.ts'
import { cursorAfter, idCursor } from '../../http/cursors.ts'
import { problemSchema } from '../../http/responses.ts'
import { keepToOperators } from '../../operators-only.ts'
import type { Server } from '../../parts.ts'
import { decisions, operatorsListing, shownListing } from './listings.ts'
import { addPage, addRequests } from './public.ts'

const config = { scope: 'admin' } as const

const params = z.object({ listingId: id })

export const doNotCrawlApi: RouteGroup = {
  name: 'do-not-crawl',
  about:
    'Hosts that no job requests (deny list), and the only hosts that jobs request (allow list, if it has entries). The deny list wins. Site owners opt out at `/do-not-crawl/request`.',
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
        summary: 'List the entries, newest first',
        querystring: z.strictObject({
          list: z.enum(['deny', 'allow']).optional(),
          status: z.enum(listingStates).optional(),
          ...pageQuery,
        }),
        response: {
          200: z.object({ listings: z.array(listingSchema), nextCursor: z.string().nullable() }),
          422: problemSchema,
        },
      },
    },
    async request => {
      const { list, status, limit, cursor } = request.query
      const found = await conduct.listings({
        limit,
        ...(list && { list }),
        ...(status && { states: [status] }),
        ...idCursor(cursor),
      })
      return { listings: found.map(shownListing), nextCursor: cursorAfter(found, limit, ({ id }) => id) }
    },
  )
  app.post(
    '/do-not-crawl',
    {
      config,
      schema: {
        summary: 'Add a host to a list',
        description:
          'The entry applies at once, also to running jobs: their tasks for this host end as `host.denied`.',
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
        response: { 201: listingSchema, 422: problemSchema },
      },
    },
    async (request, reply) => {
      const entry = operatorsListing(request.body, { by: request.caller.keyId, at: parts.clock.now() })
      await conduct.enterListing(entry)
      await parts.hosts.refresh()
      return reply.code(201).send(shownListing(entry))
    },
  )
}

function addDeciding(app: App, { parts }: Server): void {
  const { conduct } = parts.store
  const response = { 200: listingSchema, 404: problemSchema }
  for (const [word, { state, summary }] of Object.entries(decisions))
    app.post(
      `/do-not-crawl/:listingId/${word}`,
      { config, schema: { summary, params, response } },
      async request => {
        const { id: listingId } = await known(parts, request)
        await conduct.decide(listingId, { state, by: request.caller.keyId, at: parts.clock.now() })
        await parts.hosts.refresh()
        return shownListing(await known(parts, request))
      },
    )
  app.get(
    '/do-not-crawl/:listingId',
    { config, schema: { summary: 'An entry', params, response } },
    async request => shownListing(await known(parts, request)),
  )
  app.delete(
    '/do-not-crawl/:listingId',
    { config, schema: { summary: 'Remove an entry', params, response } },
    async request => {
      const listing = await known(parts, request)
      await conduct.deleteListing(listing.id)
      await parts.hosts.refresh()
      return shownListing(listing)
    },
  )
}

async function known({ store }: Server['parts'], request: FastifyRequest): Promise<HostListing> {
  const { listingId } = request.params as { listingId: string }
  const listing = await store.conduct.listing(listingId)
  if (listing) return listing
  throw new Failure('listing.unknown', `there is no entry "${listingId}"; GET /do-not-crawl lists them`)
}
