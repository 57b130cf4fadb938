// Ends requests whose body arrives too slowly, so that they do not occupy resources.

import type { FastifyReply, FastifyRequest, preParsingHookHandler } from 'fastify'
import { Failure } from '../../model/failures.ts'
import { type App, type RouteGroup, routeGroupOf } from '../app.ts'
import { hasBody } from './cached-responses.ts'
import { answerProblem } from './problems.ts'

export function cutOffSlowBodies(app: App, timeoutMs: number, groups: readonly RouteGroup[]): void {
  const watch: preParsingHookHandler = (request, reply, payload, done) => {
    if (hasBody(request)) {
      const timer = setTimeout(() => cutOff(request, reply, timeoutMs, groups), timeoutMs)
      for (const end of ['end', 'close', 'error']) payload.once(end, () => clearTimeout(timer))
    }
    done(null, payload)
  }
  app.addHook('onRoute', route => {
    const methods = [route.method].flat()
    // GET and HEAD have no body to wait for.
    if (route.config?.isUpload || methods.every(method => method === 'GET' || method === 'HEAD')) return
    route.preParsing = [watch, ...[route.preParsing ?? []].flat()]
  })
}

/** Sends an error while the body is incomplete, then closes the connection. Otherwise the rest of the body would be parsed as
 *  the next request. */
function cutOff(
  request: FastifyRequest,
  reply: FastifyReply,
  timeoutMs: number,
  groups: readonly RouteGroup[],
): void {
  if (reply.sent) return
  reply.header('connection', 'close')
  reply.raw.once('finish', () => request.raw.socket.destroySoon())
  const failure = new Failure('request.too-slow', `the body did not arrive within ${timeoutMs / 1_000} s`)
  answerProblem(failure, request, reply, routeGroupOf(groups, request.url)?.renderProblem)
}
