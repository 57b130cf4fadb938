// Reports and profiles of a job or worker for troubleshooting. Needs the scope `admin`.
import type { Diagnosis, ProfileRequest } from '../model/diagnosis.ts'
import { type Connection, pathTo } from './connection.ts'
import { type Download, downloadOf } from './download.ts'

export class Diagnostics {
  readonly #connection: Connection

  constructor(connection: Connection) {
    this.#connection = connection
  }

  /** A report about a job, a worker (its name in `workers()`), or `service`. */
  get(name: string): Promise<Diagnosis> {
    return this.#connection.json(pathTo`/diagnostics/${name}`)
  }

  /** A profile of a process. A heap snapshot contains its whole memory, including pages and secrets. */
  async profile(name: string, request: ProfileRequest): Promise<Download> {
    const path = pathTo`/diagnostics/${name}/profile`
    return downloadOf(await this.#connection.send(path, { body: request, method: 'POST', retries: 0 }))
  }
}
