// A fake S3 bucket without objects that lists unfinished multipart uploads, because the other test server cannot list them.
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'

export class BucketWithUploads implements AsyncDisposable {
  readonly #server: Server
  #uploads: Array<readonly [key: string, id: string]>
  /** `KEY ID` of each aborted upload. */
  readonly aborted: string[] = []

  private constructor(uploads: Array<readonly [string, string]>) {
    this.#uploads = uploads
    this.#server = createServer((request, response) => void this.#serve(request, response))
  }

  static async open(uploads: Array<readonly [string, string]>): Promise<BucketWithUploads> {
    const bucket = new BucketWithUploads(uploads)
    await new Promise<void>(done => bucket.#server.listen(0, '127.0.0.1', done))
    return bucket
  }

  get url(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`
  }

  async #serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    await Array.fromAsync(request)
    const { pathname, searchParams } = new URL(request.url!, this.url)
    const id = searchParams.get('uploadId')
    if (request.method === 'DELETE' && id !== null) {
      const key = decodeURIComponent(pathname.split('/').slice(2).join('/'))
      this.aborted.push(`${key} ${id}`)
      this.#uploads = this.#uploads.filter(upload => upload[1] !== id)
      return void response.writeHead(204).end()
    }
    const text = searchParams.has('uploads') ? this.#listed(searchParams) : '<Result/>'
    response.writeHead(200, { 'content-type': 'application/xml' }).end(text)
  }

  /** Lists one upload per page, so that callers must ask for the next page. */
  #listed(query: URLSearchParams): string {
    const after = query.get('upload-id-marker') ?? ''
    const found = this.#uploads.filter(([key, id]) => key.startsWith(query.get('prefix') ?? '') && id > after)
    const [first] = found
    const page = first ? `<Upload><Key>${first[0]}</Key><UploadId>${first[1]}</UploadId></Upload>` : ''
    const next = first
      ? `<NextKeyMarker>${first[0]}</NextKeyMarker><NextUploadIdMarker>${first[1]}</NextUploadIdMarker>`
      : ''
    return `<ListMultipartUploadsResult><IsTruncated>${found.length > 1}</IsTruncated>${next}${page}</ListMultipartUploadsResult>`
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#server.closeAllConnections()
    await new Promise(done => this.#server.close(done))
  }
}
