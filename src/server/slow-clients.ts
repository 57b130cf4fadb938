// Clients that send a body drop by drop are cut off, so that they hold nothing for long.
import type { Readable } from 'node:stream'
import { Failure } from '../model/failures.ts'
import type { App } from './app.ts'

export function cutOffSlowBodies(app: App, timeoutMs: number): void {
  app.addHook('preParsing', async (request, reply, payload) => {
    if (request.routeOptions.config.isUpload) return payload
    const stream = payload as Readable
    const timer = setTimeout(() => {
      // What is left of the body would be read as the next request.
      reply.header('connection', 'close')
      const seconds = Math.ceil(timeoutMs / 1_000)
      stream.destroy(
        Object.assign(new Failure('request.too-slow', `the body did not arrive within ${seconds} s`), {
          statusCode: 408,
        }),
      )
    }, timeoutMs)
    stream.once('close', () => clearTimeout(timer))
    stream.once('end', () => clearTimeout(timer))
    return payload
  })
}
