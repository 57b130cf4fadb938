// The uploads API: stores a file of any size, which a job then reads row by row.

import { randomBytes } from 'node:crypto'
import * as z from 'zod'
import { defined } from '../../../lib/defined.ts'
import { pageQuery } from '../../../model/api/pages.ts'
import { createdUpload, newUploadBody, shownUpload, uploadParams } from '../../../model/api/uploads.ts'
import { Failure } from '../../../model/failures.ts'
import type { NewUpload, Upload } from '../../../model/upload.ts'
import {
  dropUpload,
  incomingKeyOf,
  ownedUpload,
  readerOf,
  seenUpload,
  tooLarge,
  uploadKeyOf,
} from '../../../pipeline/submit/uploads.ts'
import type { App, FastifyRequest, RouteGroup } from '../../app.ts'
import { cursorAfter, idCursor } from '../../http/cursors.ts'
import { baseUrl, isoTime, isoTimeOrNull, problemSchema } from '../../http/responses.ts'
import type { Server } from '../../parts.ts'
import { uploadParts } from '../../uploads.ts'
import { addReceiving } from './receive.ts'
import { signedQueryOf } from './signature.ts'

export const uploadsApi: RouteGroup = {
  name: 'uploads',
  about: 'Files of rows. PUT a file to a signed URL, then send `POST /jobs` with its `upload_id`.',
  addRoutes(app, server) {
    addCreating(app, server)
    addReceiving(app, server)
    addLooking(app, server)
    addDeleting(app, server)
  },
}

function addCreating(app: App, server: Server): void {
  app.post(
    '/uploads',
    {
      config: { scope: 'submit' },
      schema: {
        summary: 'Create an upload',
        description:
          'Returns a signed URL; send the file there with PUT. With S3, it is a URL of the bucket.',
        body: newUploadBody,
        response: { 201: createdUpload, 413: problemSchema, 422: problemSchema },
      },
    },
    async (request, reply) => {
      const { clock, store } = server.parts
      const { maxUploadBytes, uploadWindowMs } = server.settings
      const { fileName, bytes, sha256 } = request.body
      if (maxUploadBytes > 0 && (bytes ?? 0) > maxUploadBytes) throw tooLarge(maxUploadBytes)
      const id = `upload-${randomBytes(8).toString('hex')}`
      const { workspace, keyId } = request.caller
      const createdAt = clock.now()
      const upload: NewUpload = {
        ...{ id, workspace, fileName, blobKey: uploadKeyOf(id, fileName), keyId, createdAt },
        expiresAt: createdAt + uploadWindowMs,
      }
      await store.uploads.create(upload)
      const signed = await signedPut(server, request, upload, defined({ bytes, sha256 }))
      const shown = shownAs({ ...upload, completedAt: null, bytes: 0 }, createdAt)
      return reply.code(201).send({ ...shown, ...signed, method: 'PUT' as const })
    },
  )
}

/** A URL of the blob store if it supports signed URLs, otherwise of this service. */
async function signedPut(
  server: Server,
  request: FastifyRequest,
  { id, blobKey, createdAt, expiresAt }: NewUpload,
  terms: { bytes?: number; sha256?: string },
) {
  const { blobs, uploadKey } = server.parts
  const direct = await blobs.signedPut(incomingKeyOf(blobKey), {
    ...terms,
    expiresInMs: expiresAt - createdAt,
  })
  if (direct) return { uploadUrl: direct.url, headers: direct.headers }
  const query = signedQueryOf(uploadKey, id, { ...terms, expires: expiresAt })
  return { uploadUrl: `${baseUrl(server, request)}/uploads/${id}/content?${query}`, headers: {} }
}

function addLooking(app: App, server: Server): void {
  const config = { scope: 'read' } as const
  app.get(
    '/uploads',
    {
      config,
      schema: {
        summary: 'List uploads, newest first',
        querystring: z.strictObject(pageQuery),
        response: {
          200: z.object({ uploads: z.array(shownUpload), nextCursor: z.string().nullable() }),
          422: problemSchema,
        },
      },
    },
    async request => {
      const { limit, cursor } = request.query
      const { workspace } = request.caller
      const uploads = await server.parts.store.uploads.list({
        workspace,
        limit,
        ...idCursor(cursor),
      })
      const now = server.parts.clock.now()
      return {
        uploads: uploads.map(upload => shownAs(upload, now)),
        nextCursor: cursorAfter(uploads, limit, ({ id }) => id),
      }
    },
  )
  app.get(
    '/uploads/:uploadId',
    {
      config,
      schema: {
        summary: 'One upload',
        params: uploadParams,
        response: { 200: shownUpload, 404: problemSchema },
      },
    },
    async request => {
      const parts = uploadParts(server)
      const upload = await ownedUpload(parts, request.caller.workspace, request.params.uploadId)
      return shownAs(await seenUpload(parts, upload), server.parts.clock.now())
    },
  )
}

function addDeleting(app: App, server: Server): void {
  app.delete(
    '/uploads/:uploadId',
    {
      config: { scope: 'submit' },
      schema: {
        summary: 'Delete an upload and its file',
        params: uploadParams,
        response: {
          200: z.object({ uploadId: z.string(), deleted: z.literal(true) }),
          404: problemSchema,
          409: problemSchema,
        },
      },
    },
    async request => {
      const parts = uploadParts(server)
      const upload = await ownedUpload(parts, request.caller.workspace, request.params.uploadId)
      const reader = await readerOf(parts, upload)
      if (reader)
        throw new Failure(
          'upload.in-use',
          `upload "${upload.id}" is still being read by job ${reader.id}; wait until its rows are read, or cancel the job`,
          { jobId: reader.id },
        )
      await dropUpload(parts, upload)
      return { uploadId: upload.id, deleted: true as const }
    },
  )
}

export function shownAs({ id, fileName, bytes, createdAt, expiresAt, completedAt }: Upload, now: number) {
  const waiting = now < expiresAt ? 'waiting' : 'expired'
  return {
    ...{ uploadId: id, fileName, bytes },
    status: completedAt === null ? (waiting as 'waiting' | 'expired') : ('complete' as const),
    ...{ createdAt: isoTime(createdAt), expiresAt: isoTime(expiresAt) },
    completedAt: isoTimeOrNull(completedAt),
  }
}
