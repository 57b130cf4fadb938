// PUT to the signed URL: streams the body to the blob store, checks its size and hash, and ends stalled uploads.
import { createHash, type Hash } from 'node:crypto'
import { finished, PassThrough, Readable } from 'node:stream'
import { receivedUpload, uploadParams } from '../../../model/api/uploads.ts'
import { Failure } from '../../../model/failures.ts'
import type { Upload } from '../../../model/upload.ts'
import { tooLarge } from '../../../pipeline/submit/uploads.ts'
import type { App } from '../../app.ts'
import { problemSchema } from '../../http/responses.ts'
import type { Server } from '../../parts.ts'
import { checkSignature, type SignedQuery, signedQuery } from './signature.ts'

/** A separate Fastify scope, because only this route accepts bodies that are not JSON. */
export function addReceiving(app: App, server: Server): void {
  app.register(async (scope: unknown) => {
    const plain = scope as App
    plain.removeAllContentTypeParsers()
    plain.addContentTypeParser('*', (_request, payload, done) => done(null, payload))
    addPut(plain, server)
  })
}

function addPut(app: App, server: Server): void {
  const receiving = new Receiving()
  app.put(
    '/uploads/:uploadId/content',
    {
      config: { scope: 'open', isUpload: true },
      schema: {
        summary: 'Send the file',
        description: 'The URL comes from `POST /uploads` and needs no key, because it is signed.',
        params: uploadParams,
        querystring: signedQuery,
        response: {
          200: receivedUpload,
          403: problemSchema,
          409: problemSchema,
          413: problemSchema,
          422: problemSchema,
        },
      },
    },
    async (request, reply) => {
      const { uploadId } = request.params
      try {
        checkSignature(server.parts.uploadKey, uploadId, request.query, server.parts.clock.now())
        const body = standIn((request.body ?? Readable.from([])) as Readable)
        return await receiving.alone(uploadId, body, async () => {
          const upload = await openUpload(server, uploadId)
          await refuseTooLarge(server, Number(request.headers['content-length'] ?? 0))
          return receive(server, upload, body, request.query)
        })
      } catch (error) {
        // The rest of a refused body is not read, so the connection cannot be reused.
        reply.header('connection', 'close')
        throw error
      }
    },
  )
}

/** Receives one body at a time per upload. A new request ends the earlier one, even if its connection still looks open. */
class Receiving {
  readonly #bodies = new Map<string, { body: Readable; done: Promise<unknown> }>()

  async alone<Result>(uploadId: string, body: Readable, work: () => Promise<Result>): Promise<Result> {
    const earlier = this.#bodies.get(uploadId)
    earlier?.body.destroy(
      new Failure('upload.in-use', `upload "${uploadId}" is being sent again on another connection`),
    )
    const done = (earlier?.done ?? Promise.resolve()).catch(() => {}).then(work)
    const mine = { body, done }
    this.#bodies.set(uploadId, mine)
    try {
      return await done
    } finally {
      if (this.#bodies.get(uploadId) === mine) this.#bodies.delete(uploadId)
    }
  }
}

async function openUpload({ parts }: Server, uploadId: string): Promise<Upload> {
  const upload = await parts.store.uploads.get(uploadId)
  if (!upload)
    throw new Failure('upload.unknown', `there is no upload "${uploadId}"; POST /uploads creates one`)
  if (upload.completedAt !== null)
    throw new Failure('upload.complete', `upload "${uploadId}" is complete; POST /uploads creates a new one`)
  return upload
}

async function receive(server: Server, upload: Upload, body: Readable, terms: SignedQuery) {
  const { blobs, store, clock } = server.parts
  const progress: UploadProgress = { bytes: 0, hash: createHash('sha256'), sha256: '' }
  await blobs.putStream(upload.blobKey, checked(server, body, terms, progress))
  const { bytes, sha256 } = progress
  // The upload was deleted during the transfer, so delete its file too.
  if (!(await store.uploads.complete(upload.id, { bytes, at: clock.now() }))) {
    await blobs.delete([upload.blobKey])
    throw new Failure('upload.unknown', `upload "${upload.id}" was deleted during the transfer`)
  }
  return { uploadId: upload.id, status: 'complete' as const, bytes, sha256 }
}

interface UploadProgress {
  bytes: number
  hash: Hash
  sha256: string
}

/** Called before the body is read, if the length is known. Refuses a file that is too large or for which there is no
 *  space. */
export async function refuseTooLarge({ parts, settings }: Server, bytes: number): Promise<void> {
  if (settings.maxUploadBytes > 0 && bytes > settings.maxUploadBytes) throw tooLarge(settings.maxUploadBytes)
  const free = await parts.blobs.free()
  if (free !== null && free - bytes < settings.minFreeBytes)
    throw new Failure(
      'storage.full',
      `there is no room for a file of ${bytes} bytes; free some space first`,
      {
        free,
      },
    )
}

/** Passes the chunks on and checks them. If the file is invalid, throws before the last chunk, so that the file is not stored. */
export async function* checked(
  { settings }: Server,
  body: Readable,
  { bytes, sha256 }: SignedQuery,
  progress: UploadProgress,
): AsyncGenerator<Uint8Array> {
  const most = Math.min(
    settings.maxUploadBytes || Number.POSITIVE_INFINITY,
    bytes ?? Number.POSITIVE_INFINITY,
  )
  for await (const chunk of withinSilence(body, settings.bodyTimeoutMs, progress)) {
    progress.bytes += chunk.length
    if (progress.bytes > most)
      throw most === bytes ? otherLength(bytes, 'the file is longer') : tooLarge(most)
    progress.hash.update(chunk)
    yield chunk
  }
  if (bytes !== undefined && progress.bytes !== bytes)
    throw otherLength(bytes, `only ${progress.bytes} arrived`)
  progress.sha256 = progress.hash.digest('hex')
  if (sha256 !== undefined && progress.sha256 !== sha256)
    throw new Failure(
      'input.invalid',
      `sha256: the file has ${progress.sha256} and was announced with ${sha256}; send it again`,
      { path: 'sha256' },
    )
}

const otherLength = (announced: number, came: string): Failure =>
  new Failure(
    'input.invalid',
    `bytes: ${announced} bytes were announced, but ${came}; send the whole file again, or create a new upload with its size`,
    { path: 'bytes' },
  )

/** A stream between body and blob store. An error destroys this stream instead of the body, so that the connection stays open
 *  for the response. */
function standIn(body: Readable): Readable {
  const gate = new PassThrough({ highWaterMark: gateBytes })
  // The reader of the stream gets the error. Without a reader, an unhandled error would crash the process.
  gate.on('error', () => {})
  finished(body, { writable: false }, error => void (error && gate.destroy(error)))
  return body.pipe(gate)
}

const gateBytes = 256 * 1_024

/** An upload may take any time, as long as data arrives. Throws after `silenceMs` without data. */
async function* withinSilence(
  body: Readable,
  silenceMs: number,
  progress: UploadProgress,
): AsyncGenerator<Buffer> {
  const silent = () =>
    body.destroy(
      new Failure(
        'request.too-slow',
        `no data arrived for ${silenceMs / 1_000} s after ${progress.bytes} bytes`,
      ),
    )
  const timer = setTimeout(silent, silenceMs)
  try {
    for await (const chunk of body) {
      timer.refresh()
      yield chunk as Buffer
    }
  } catch (cause) {
    if (cause instanceof Failure) throw cause
    throw brokenOff(progress, cause)
  } finally {
    clearTimeout(timer)
  }
}

const brokenOff = ({ bytes }: UploadProgress, cause: unknown): Failure =>
  new Failure('request.invalid', `the file broke off after ${bytes} bytes; send it again`, {}, { cause })
