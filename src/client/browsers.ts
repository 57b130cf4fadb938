// Browser pages in use: lists them, shows a live view, and lets a person control them.
import type { BrowserInUse, BrowserView, WaitingConnection } from '../model/api/browsers.ts'
import type { SeatInput } from '../model/seat.ts'
import { type Connection, pathTo } from './connection.ts'

export type { BrowserInUse, BrowserView, WaitingConnection }

export class Browsers {
  readonly #connection: Connection

  constructor(connection: Connection) {
    this.#connection = connection
  }

  list(): Promise<{ browsers: BrowserInUse[]; waiting: WaitingConnection[] }> {
    return this.#connection.json('/browsers')
  }

  /** Returns an image of the page. `scale`: scale of the image, 1 is full size. This method and all methods below need the scope
   *  `live_view`. */
  view(browserId: string, { scale = 1 }: { scale?: number } = {}): Promise<BrowserView> {
    return this.#connection.json(`${pathTo`/browsers/${browserId}/view`}?scale=${scale}`)
  }

  /** Pauses the page before its next step, so that a person can control it. */
  async pause(browserId: string): Promise<void> {
    await this.#connection.json(pathTo`/browsers/${browserId}/pause`, { method: 'POST' })
  }

  /** Lets the task or client continue. */
  async resume(browserId: string): Promise<void> {
    await this.#connection.json(pathTo`/browsers/${browserId}/resume`, { method: 'POST' })
  }

  /** Sends mouse or keyboard input. The page must be paused. */
  async input(browserId: string, input: SeatInput): Promise<void> {
    await this.#connection.json(pathTo`/browsers/${browserId}/input`, { body: input, retries: 0 })
  }

  /** Stores cookies and storage of the page under this name, for the field `session` of jobs. */
  async saveSession(browserId: string, name: string): Promise<void> {
    await this.#connection.json(pathTo`/browsers/${browserId}/session`, { body: { name } })
  }

  /** Ends the browser of a client. The page of a task ends with its job. */
  async end(browserId: string): Promise<void> {
    await this.#connection.json(pathTo`/browsers/${browserId}`, { method: 'DELETE' })
  }
}
