// Decodes request bodies with `Content-Encoding: gzip`, within the body limit. Other encodings give 415.
import type { Readable } from 'node:stream'
import { createGunzip } from 'node:zlib'
import type { preParsingHookHandler } from 'fastify'
import { Failure } from '../../model/failures.ts'
import type { App } from '../app.ts'

/** Adds decoding to all routes except uploads, which store the bytes as they were sent. */
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
  // Tells the client which encodings are accepted (RFC 9110, 12.5.3).
  reply.header('accept-encoding', 'gzip, identity')
  done(
    new Failure(
      'request.unsupported',
      `content-encoding: "${encoding}" is not supported; send gzip, or no encoding`,
      { path: 'content-encoding' },
    ),
  )
}

/** Decodes gzip. Fastify compares the decoded size with the body limit, and the received size with Content-Length. */
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
    // Stop decoding, so that a decompression bomb is not decoded further. Wait one tick, because Fastify must see the chunk and
    // refuse the body first.
    if (bytes > limit) setImmediate(giveUp)
  })
  gunzip.on('error', error => {
    error.message = `the body is not the gzip that content-encoding names (${error.message})`
    giveUp()
  })
  return payload.pipe(gunzip)
}
