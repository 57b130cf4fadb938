// Bodies with a Content-Encoding: gzip is undone, within the limit that holds for every body; anything else is 415.
import type { Readable } from 'node:stream'
import { createGunzip } from 'node:zlib'
import type { preParsingHookHandler } from 'fastify'
import { Failure } from '../model/failures.ts'
import type { App } from './app.ts'

/** Uploads keep the bytes that were sent, so their routes are left alone. */
export function decodeBodies(app: App): void {
  app.addHook('onRoute', route => {
    if (route.config?.isUpload) return
    route.preParsing = [...[route.preParsing ?? []].flat(), decode]
  })
}

const decode: preParsingHookHandler = (request, reply, payload, done) => {
  const encoding = request.headers['content-encoding']?.trim().toLowerCase() ?? 'identity'
  if (encoding === 'identity' || encoding === '') return done(null, payload)
  if (encoding === 'gzip' || encoding === 'x-gzip')
    return done(null, unzipped(payload, request.routeOptions.bodyLimit))
  // How a server says which encodings it takes (RFC 9110, 12.5.3).
  reply.header('accept-encoding', 'gzip, identity')
  done(
    new Failure(
      'request.unsupported',
      `content-encoding: "${encoding}" is not supported here; send gzip, or no encoding`,
      { path: 'content-encoding' },
    ),
  )
}

/** Fastify counts what comes out against the limit of the body, and what came in against Content-Length. */
function unzipped(payload: Readable, limit: number): Readable {
  const gunzip = Object.assign(createGunzip(), { receivedEncodedLength: 0 })
  let bytes = 0
  const giveUp = () => {
    payload.unpipe(gunzip)
    payload.resume()
    gunzip.destroy()
  }
  payload.on('data', (chunk: Buffer) => {
    gunzip.receivedEncodedLength += chunk.length
  })
  payload.on('error', error => gunzip.destroy(error))
  gunzip.on('data', (chunk: Buffer) => {
    bytes += chunk.length
    // After Fastify has seen it. The rest of a bomb is not unpacked.
    if (bytes > limit) setImmediate(giveUp)
  })
  gunzip.on('error', error => {
    error.message = `the body is not the gzip that content-encoding names (${error.message})`
    giveUp()
  })
  return payload.pipe(gunzip)
}
