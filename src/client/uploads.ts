// Files of rows: uploaded first, then named by a job.
import type { NewUpload, UploadPlace, UploadShown } from '../model/api/uploads.ts'
import { type Connection, pathTo } from './connection.ts'
import { pagesOf } from './pages.ts'

export type { NewUpload, UploadPlace, UploadShown }

export class Uploads {
  readonly #connection: Connection

  constructor(connection: Connection) {
    this.#connection = connection
  }

  /** Creates an upload and returns the URL for the file. The URL needs no key. */
  create(upload: NewUpload): Promise<UploadPlace> {
    return this.#connection.json('/uploads', { body: upload })
  }

  /** Creates the upload and sends the file. After a lost connection, a `Blob` or bytes are sent again. A stream cannot be sent
   *  again. */
  async send(
    content: Blob | Uint8Array | string | ReadableStream<Uint8Array>,
    upload: NewUpload,
  ): Promise<UploadShown> {
    const size = content instanceof Blob ? { bytes: content.size } : {}
    const { uploadId, uploadUrl, headers } = await this.create({ ...size, ...upload })
    await this.#connection.send(uploadUrl, { method: 'PUT', raw: content as RequestInit['body'], headers })
    return this.get(uploadId)
  }

  get(uploadId: string): Promise<UploadShown> {
    return this.#connection.json(pathTo`/uploads/${uploadId}`)
  }

  list(): AsyncGenerator<UploadShown> {
    return pagesOf(this.#connection, '/uploads', 'uploads')
  }

  async delete(uploadId: string): Promise<void> {
    await this.#connection.send(pathTo`/uploads/${uploadId}`, { method: 'DELETE' })
  }
}
