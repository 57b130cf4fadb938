// The public page and API where site owners opt out. Anyone may call them. The rate limit is low.
import * as z from 'zod'
import type { HostListing } from '../../../model/conduct.ts'
import { listingStates } from '../../../model/conduct.ts'
import { asFailure, Failure } from '../../../model/failures.ts'
import { id } from '../../../model/ids.ts'
import type { App, FastifyReply, FastifyRequest } from '../../app.ts'
import { problemOf } from '../../http/problems.ts'
import { isoTime, problemSchema } from '../../http/responses.ts'
import type { Server } from '../../parts.ts'
import { formPage, pagePolicy, problemPage, requestPage } from './page.ts'
import { enterRequest, proofsOf, requestBody, requestNamed, verifyRequest } from './requests.ts'

/** A rate limit: at most `max` requests per client address in ten minutes. A person with a few sites stays below it. */
const fewAtATime = (max: number) => ({
  rateLimit: {
    max,
    timeWindow: 600_000,
    keyGenerator: (request: FastifyRequest) => request.ip,
    allowList: () => false,
    errorResponseBuilder: (_request: FastifyRequest, { ttl }: { ttl: number }) =>
      new Failure('request.too-many', 'too many requests; retry later', { retryAfterMs: ttl }),
  },
})

const entering = { scope: 'open' as const, ...fewAtATime(20) }
const checking = { scope: 'open' as const, ...fewAtATime(30) }
const looking = { scope: 'open' as const, ...fewAtATime(200) }

const shownRequest = z.object({
  requestId: z.string(),
  pattern: z.string().describe('The hosts that would be excluded.'),
  status: z.enum(listingStates),
  inForce: z.boolean(),
  createdAt: z.string(),
  proofs: z
    .object({
      dns: z.object({ name: z.string(), type: z.string(), value: z.string() }),
      wellKnown: z.object({ url: z.string(), content: z.string() }),
    })
    .describe('Either of these proves that it is your site.'),
  looked: z.array(z.string()).optional().describe('The places that were checked, with what was found.'),
})

export function addRequests(app: App, server: Server): void {
  const { parts } = server
  app.post(
    '/do-not-crawl/requests',
    {
      config: entering,
      schema: {
        summary: 'Request that a site is not crawled',
        description:
          'For site owners; no key is needed. The opt-out request applies when the site publishes the token, or when the operator approves the request.',
        body: requestBody,
        response: { 201: shownRequest, 422: problemSchema, 429: problemSchema },
      },
    },
    async (request, reply) => reply.code(201).send(shown(await enterRequest(parts, request.body))),
  )
  const params = z.object({ requestId: id })
  app.get(
    '/do-not-crawl/requests/:requestId',
    {
      config: looking,
      schema: {
        summary: 'Get the state of an opt-out request',
        params,
        response: { 200: shownRequest, 404: problemSchema },
      },
    },
    async request => shown(await requestNamed(parts, request.params.requestId)),
  )
  app.post(
    '/do-not-crawl/requests/:requestId/verify',
    {
      config: checking,
      schema: {
        summary: 'Check DNS and the site for the token',
        params,
        response: { 200: shownRequest, 404: problemSchema, 429: problemSchema },
      },
    },
    async request => {
      const { listing, looked } = await verifyRequest(parts, request.params.requestId)
      return { ...shown(listing), looked }
    },
  )
}

const shown = (listing: HostListing) => ({
  requestId: listing.id,
  pattern: listing.pattern,
  status: listing.state,
  inForce: listing.state === 'proved' || listing.state === 'approved',
  createdAt: isoTime(listing.createdAt),
  proofs: proofsOf(listing),
})

/** The HTML version of the API. Errors are HTML pages too. */
export function addPage(app: App, { parts }: Server): void {
  const policy = pagePolicy()
  const schema = { hide: true }
  app.addContentTypeParser(
    'application/x-www-form-urlencoded',
    { parseAs: 'string', bodyLimit: 16_384 },
    (_request, body, done) => done(null, Object.fromEntries(new URLSearchParams(String(body)))),
  )
  const send = (reply: FastifyReply, html: string) =>
    reply.type('text/html; charset=utf-8').header('content-security-policy', policy).send(html)

  app.get('/do-not-crawl/request', { config: looking, schema }, (_request, reply) => send(reply, formPage()))
  app.post('/do-not-crawl/request', { config: entering, schema }, async (request, reply) => {
    const fields = fieldsOf(request.body)
    try {
      return send(reply, requestPage(await enterRequest(parts, formBody(fields))))
    } catch (error) {
      const { status, message } = problemOf(error, request)
      return send(reply.code(status), formPage({ problem: message, host: fields.host ?? '' }))
    }
  })
  app.post('/do-not-crawl/request/:requestId/check', { config: checking, schema }, async (request, reply) => {
    try {
      const { requestId } = request.params as { requestId: string }
      const { listing, looked } = await verifyRequest(parts, requestId)
      return send(reply, requestPage(listing, looked))
    } catch (error) {
      if (!(error instanceof Failure)) request.log.error({ err: asFailure(error) }, 'a request failed')
      const { status, message } = problemOf(error, request)
      return send(reply.code(status), problemPage(message))
    }
  })
}

export const fieldsOf = (body: unknown): Record<string, string> =>
  typeof body === 'object' && body !== null ? (body as Record<string, string>) : {}

export function formBody({ host, subdomains, reason, contact }: Record<string, string>) {
  const given = { host: host ?? '', subdomains: subdomains !== undefined }
  const parsed = requestBody.safeParse({ ...given, ...(reason && { reason }), ...(contact && { contact }) })
  if (parsed.success) return parsed.data
  throw new Failure('input.invalid', 'enter the host name of your site, like example.com', { path: 'host' })
}
