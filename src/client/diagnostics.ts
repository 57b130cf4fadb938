// What is worth knowing about a job or a worker when something is wrong with it. Needs the scope `admin`.
import type { Diagnosis, ProfileRequest } from '../model/diagnosis.ts'
import { type Connection, pathTo } from './connection.ts'
import { type Download, downloadOf } from './download.ts'

export class Diagnostics {
  readonly #connection: Connection

  constructor(connection: Connection) {
    this.#connection = connection
  }

  /** Of a job, a worker as `workers()` names it, or `service`. */
  get(name: string): Promise<Diagnosis> {
    return this.#connection.json(pathTo`/diagnostics/${name}`)
  }

  /** A heap holds all that the process has in memory: pages, and secrets too. */
  async profile(name: string, request: ProfileRequest): Promise<Download> {
    const path = pathTo`/diagnostics/${name}/profile`
    return downloadOf(await this.#connection.send(path, { body: request, method: 'POST', retries: 0 }))
  }
}
