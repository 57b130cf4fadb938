// Clients that send a body drop by drop are cut off, so that they hold nothing for long.
import type { FastifyReply, FastifyRequest } from 'fastify'
import { Failure } from '../model/failures.ts'
import { type App, type Face, faceOf } from './app.ts'
import { answerProblem } from './problems.ts'

export function cutOffSlowBodies(app: App, timeoutMs: number, faces: readonly Face[]): void {
  app.addHook('preParsing', (request, reply, payload, done) => {
    if (hasBody(request) && !request.routeOptions.config.isUpload) {
      const timer = setTimeout(() => cutOff(request, reply, timeoutMs, faces), timeoutMs)
      for (const end of ['end', 'close', 'error']) payload.once(end, () => clearTimeout(timer))
    }
    done(null, payload)
  })
}

const hasBody = ({ headers }: FastifyRequest): boolean =>
  headers['content-length'] !== undefined || headers['transfer-encoding'] !== undefined

/** Answered while the body is still awaited; then the line is cut, or the rest of it would be read as the next request. */
function cutOff(
  request: FastifyRequest,
  reply: FastifyReply,
  timeoutMs: number,
  faces: readonly Face[],
): void {
  if (reply.sent) return
  reply.header('connection', 'close')
  reply.raw.once('finish', () => request.raw.socket.destroySoon())
  const failure = new Failure('request.too-slow', `the body did not arrive within ${timeoutMs / 1_000} s`)
  answerProblem(failure, request, reply, faceOf(faces, request.url)?.renderProblem)
}
