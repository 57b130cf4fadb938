// kscrape/client: a service as typed methods, for Node and for browsers.
import { Connection, type ConnectionOptions } from './client/connection.ts'
import { Jobs } from './client/jobs.ts'
import { Keys } from './client/keys.ts'
import { Uploads } from './client/uploads.ts'

export type ClientOptions = ConnectionOptions

/**
 * `const client = new Client({ server: 'http://127.0.0.1:8001', apiKey })`
 *
 * What the service refuses is thrown as an `ApiError` with its code, the field and the request id. 429 and 503 are waited out.
 */
export class Client {
  readonly server: string
  readonly jobs: Jobs
  readonly uploads: Uploads
  readonly keys: Keys

  constructor(options: ClientOptions) {
    const connection = new Connection(options)
    this.server = connection.server
    this.jobs = new Jobs(connection)
    this.uploads = new Uploads(connection)
    this.keys = new Keys(connection)
  }
}

export { ApiError } from './client/connection.ts'
export type { Download } from './client/download.ts'
export type * from './client/job-types.ts'
export { hasEnded, type Jobs, type WaitOptions } from './client/jobs.ts'
export type { KeyShown, Keys, NewKeyInput } from './client/keys.ts'
export type { NewUpload, UploadPlace, UploadShown, Uploads } from './client/uploads.ts'
