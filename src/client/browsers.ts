// Browser pages in use: a list, a live view, and taking them over.
import type { SeatInput } from '../model/seat.ts'
import { type Connection, pathTo } from './connection.ts'

export interface BrowserInUse {
  browserId: string
  /** A page of a job's task, or a browser that a client drives. */
  kind: 'task' | 'connection'
  jobId: string
  /** Number of the task in its job. */
  task: number
  url: string
  step: string | null
  openedAt: string
  paused: boolean
  worker: string | null
}

export interface WaitingConnection {
  connectionId: string
  jobId: string
  /** In the queue for a browser page, from 1. */
  position: number
  since: string
}

export interface BrowserView {
  url: string
  title: string
  step: string | null
  paused: boolean
  /** A JPEG as base64; null if the page could not be painted. */
  image: string | null
  /** Of the window, in CSS pixels. */
  width: number
  height: number
  console: string[]
}

export class Browsers {
  readonly #connection: Connection

  constructor(connection: Connection) {
    this.#connection = connection
  }

  list(): Promise<{ browsers: BrowserInUse[]; waiting: WaitingConnection[] }> {
    return this.#connection.json('/browsers')
  }

  /** Needs the scope `live_view`, like everything below. `scale`: of the image. */
  view(browserId: string, { scale = 1 }: { scale?: number } = {}): Promise<BrowserView> {
    return this.#connection.json(`${pathTo`/browsers/${browserId}/view`}?scale=${scale}`)
  }

  /** Stops before the next step, so that a person can drive the page. */
  async pause(browserId: string): Promise<void> {
    await this.#connection.json(pathTo`/browsers/${browserId}/pause`, { method: 'POST' })
  }

  /** Hands the page back. */
  async resume(browserId: string): Promise<void> {
    await this.#connection.json(pathTo`/browsers/${browserId}/resume`, { method: 'POST' })
  }

  /** Only while it is paused. */
  async input(browserId: string, input: SeatInput): Promise<void> {
    await this.#connection.json(pathTo`/browsers/${browserId}/input`, { body: input, retries: 0 })
  }

  /** Keeps cookies and storage under this name, for `session` of jobs. */
  async saveSession(browserId: string, name: string): Promise<void> {
    await this.#connection.json(pathTo`/browsers/${browserId}/session`, { body: { name } })
  }

  /** Of a client. The page of a task ends with its job. */
  async end(browserId: string): Promise<void> {
    await this.#connection.json(pathTo`/browsers/${browserId}`, { method: 'DELETE' })
  }
}
