// Limits the size and content of bodies. Parsing and validation run on the thread that serves all requests.
import type { FastifyRequest } from 'fastify'
import { type JsonExcess, jsonExcess } from '../../lib/json/json-scan.ts'
import { protoKeyIn, reservedKey } from '../../lib/json/reserved-keys.ts'
import { Failure } from '../../model/failures.ts'
import type { App } from '../app.ts'
import { wayOut } from './too-large.ts'

/** Body limit in bytes of routes without `takesLists`. */
export const usualBodyBytes = 65_536
/** Shorter bodies cannot contain enough values to block the thread, so they are not scanned. */
const scannedFromLength = 32_768
const limits = { values: 100_000, depth: 100, keys: 5_000 }

/** Sets the body limit of each route. Only routes with `takesLists` accept up to `maxBodyBytes`. */
export function limitBodies(app: App, maxBodyBytes: number): void {
  app.addHook('onRoute', route => {
    if (route.config?.isUpload) return
    route.bodyLimit ??= route.config?.takesLists ? maxBodyBytes : Math.min(maxBodyBytes, usualBodyBytes)
  })
  app.removeContentTypeParser('application/json')
  app.addContentTypeParser('application/json', { parseAs: 'string' }, boundedJsonParser(app))
}

type ParseJson = (
  request: FastifyRequest,
  body: string | Buffer,
  done: (error: Error | null, value?: unknown) => void,
) => void

/** Matches `__proto__`, also with escaped characters. It may match harmless text, which is then checked exactly. */
const mayHoldProto = /__proto__|\\u005f|\\u00(?:70|72|6f|74)/i

/** Fastify's JSON parser, with limits on the number of values and the depth. */
export function boundedJsonParser(app: App): ParseJson {
  // Fastify's own check is off, because the code below refuses `__proto__` and names its path.
  const parse = app.getDefaultJsonParser('ignore', 'ignore')
  return (request, body, done) => {
    const text = String(body)
    // Many clients send a content type with every POST, even without a body.
    if (text === '' && !request.routeOptions.schema?.body) return done(null)
    const excess = text.length > scannedFromLength ? jsonExcess(text, limits) : null
    if (excess !== null) return done(exceeding(request, excess))
    parse(request, text, (error: Error | null, value: unknown) => {
      const reserved = error === null && mayHoldProto.test(text) ? protoKeyIn(value) : null
      done(reserved === null ? error : reservedKey(reserved), value)
    })
  }
}

function exceeding(request: FastifyRequest, { what, words }: JsonExcess): Failure {
  if (what === 'values')
    return new Failure('request.too-large', `the body is JSON ${words}${wayOut(request)}`)
  const code = what === 'depth' ? 'request.invalid' : 'input.invalid'
  return new Failure(code, `the request can't be accepted: the body is JSON ${words}`)
}
