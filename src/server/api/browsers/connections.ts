// Browser connections of this API process. Each connection is a job with one task: the client waits for a seat, drives
// the browser, and closes it.
import { offAbort, onAbort } from '../../../lib/abort-handlers.ts'
import { openWire, type Wire, type WireMessage, wireName } from '../../../lib/wire.ts'
import type { Caller } from '../../../model/access.ts'
import { Failure, type FailureCode, failures } from '../../../model/failures.ts'
import { hasEnded } from '../../../model/job.ts'
import { isGranted } from '../../consent.ts'
import type { Server } from '../../parts.ts'
import { submitFor } from '../../submit.ts'
import { type ConnectionRequest, type Protocol, planConnection } from './connection-request.ts'

/** Receives the messages that go to the client. */
interface ClientEnd {
  /** Resolves when the message is sent to the client. */
  text(text: string): Promise<void>
  /** The browser has ended. `code` is `client`, `time`, `stopped`, or a failure code. */
  ended(code: string, message: string): void
}

export interface OpenConnection {
  readonly id: string
  readonly jobId: string
  readonly keyId: string
  readonly workspace: string
  readonly protocol: Protocol
  readonly createdAt: number
  /** Epoch ms when the browser was ready; null while the connection waits for a seat. */
  readonly openedAt: number | null
  readonly endsAt: number | null
  send(text: string): void
  /** Resolves when the browser accepts more messages; null if it accepts them now. */
  readonly full: Promise<void> | null
  /** Ends the browser; safe to call twice. */
  close(reason?: 'stopped'): void
}

/** Timeout for closing a browser. A live worker closes it much faster. */
const closeWithinMs = 15_000
/** Timeout for a browser start. It is longer than the worker's own timeout, so that the worker can report the failure
 *  first. */
const startWithinMs = 50_000
const mostWaiting = 50
/** Maximum number of characters in flight: sent to the browser, but not yet received by it. Above this limit, the API stops
 *  reading the client's socket. */
const mostUnread = 8 * 1_048_576

export class BrowserConnections {
  readonly #server: Server
  /** The key contains workspace and id, because callers of two workspaces may choose the same id. */
  readonly #open = new Map<string, Connection>()

  constructor(server: Server) {
    this.#server = server
  }

  /** The open connections of this process, oldest first. */
  get all(): readonly OpenConnection[] {
    return [...this.#open.values()]
  }

  /** Position in the queue for a seat, from 1; null if the connection has its seat. */
  positionOf({ id, workspace }: Pick<OpenConnection, 'id' | 'workspace'>): number | null {
    const waiting = [...this.#open.values()].filter(({ isWaiting }) => isWaiting)
    const index = waiting.findIndex(connection => connection.id === id && connection.workspace === workspace)
    return index === -1 ? null : index + 1
  }

  /** Resolves when the browser is ready. If no seat becomes free in time, rejects with `pool.exhausted`, the queue
   *  position and the time to retry. */
  async open(
    caller: Caller,
    options: ConnectionRequest,
    client: ClientEnd,
    gone: AbortSignal,
  ): Promise<OpenConnection> {
    const { parts, settings } = this.#server
    const plan = planConnection(options, settings, {
      mayBeBrowser: isGranted(this.#server, caller, 'browser_headers'),
      mayUseCredentials: isGranted(this.#server, caller, 'credentials'),
    })
    const { connectionId: id, spec, maxMs } = plan
    const name = wireName(caller.workspace, id)
    if (this.#open.has(name)) throw inUse(id)
    const waiting = [...this.#open.values()].filter(({ isWaiting }) => isWaiting).length
    if (waiting >= mostWaiting) throw noSeat(waiting + 1, this.#freeInMs())
    const connection = new Connection(id, options.protocol, caller, parts.clock.now(), client)
    this.#open.set(name, connection)
    try {
      connection.wire = await openWire(parts.bus, name, 'client', connection)
      const { job } = await submitFor(this.#server, caller, spec, { face: 'browsers' })
      connection.jobId = job.id
      await this.#ready(connection, settings.browserQueueMs, gone)
      connection.openedAt = parts.clock.now()
      connection.endsAt = connection.openedAt + maxMs
      connection.over.then(() => this.#end(connection))
      return connection
    } catch (error) {
      connection.close()
      await this.#end(connection)
      throw error
    }
  }

  /** Resolves when the browser is ready. Rejects if the job ends first: it could not start, or another process
   *  cancelled it. */
  async #ready(connection: Connection, withinMs: number, gone: AbortSignal): Promise<void> {
    const { parts } = this.#server
    const { promise, resolve, reject } = Promise.withResolvers<void>()
    const late = setTimeout(
      () => reject(noSeat(this.positionOf(connection) ?? 1, this.#freeInMs())),
      withinMs,
    )
    // The wait for a seat is over; from now on the timeout of the browser start applies.
    connection.seated.then(() => {
      clearTimeout(late)
      starting = setTimeout(() => reject(notStarted()), startWithinMs)
    })
    let starting: NodeJS.Timeout | undefined
    const onGone = () => reject(clientGone())
    const onStop = () => reject(new Failure('worker.stopping', 'the service is stopping'))
    onAbort(gone, onGone)
    onAbort(parts.stopping, onStop)
    if (gone.aborted) onGone()
    connection.ready.then(resolve, reject)
    const unsubscribe = parts.engine.listen((name, event) => {
      const { jobId, to } = event as { jobId?: string; to?: string }
      if (name === 'job.moved' && jobId === connection.jobId && hasEnded(to as never))
        this.#whyEnded(connection.jobId).then(reject, reject)
    })
    try {
      await promise
    } finally {
      clearTimeout(late)
      clearTimeout(starting)
      unsubscribe()
      offAbort(gone, onGone)
      offAbort(parts.stopping, onStop)
    }
  }

  async #whyEnded(jobId: string): Promise<Failure> {
    const task = await this.#server.parts.store.tasks.get(jobId, 1)
    const code = task?.reason && task.reason in failures ? (task.reason as FailureCode) : 'job.cancelled'
    return new Failure(code, task?.message ?? 'the browser could not be opened')
  }

  /** Estimated milliseconds until a connection of this process ends and frees its seat, from 1 second to 1 minute. */
  #freeInMs(): number {
    const now = this.#server.parts.clock.now()
    const ends = this.all.flatMap(({ endsAt }) => (endsAt === null ? [] : [endsAt - now]))
    return Math.min(60_000, Math.max(1_000, ends.length > 0 ? Math.min(...ends) : 5_000))
  }

  /** Ends a connection. If the worker does not end its job in time, cancels the job, so that the seat becomes free. */
  async #end(connection: Connection): Promise<void> {
    const { parts } = this.#server
    this.#open.delete(wireName(connection.workspace, connection.id))
    connection.disconnect()
    if (connection.jobId === '') return
    const { jobId } = connection
    const isOver = async () => hasEnded((await parts.store.jobs.get(jobId))?.state ?? 'completed')
    const cancel = () => parts.engine.steer(jobId, 'cancel').catch(() => {})
    if (connection.openedAt === null) await cancel()
    else
      setTimeout(async () => {
        if (!(await isOver().catch(() => true))) await cancel()
      }, closeWithinMs).unref()
  }
}

class Connection implements OpenConnection {
  readonly id: string
  readonly protocol: Protocol
  readonly keyId: string
  readonly workspace: string
  readonly createdAt: number
  readonly #client: ClientEnd
  readonly #ready = Promise.withResolvers<void>()
  readonly #over = Promise.withResolvers<void>()
  readonly #seated = Promise.withResolvers<void>()
  /** Whether the connection still waits for a seat. */
  isWaiting = true
  wire: Wire | null = null
  jobId = ''
  openedAt: number | null = null
  endsAt: number | null = null
  #isOver = false

  constructor(id: string, protocol: Protocol, caller: Caller, createdAt: number, client: ClientEnd) {
    this.id = id
    this.protocol = protocol
    this.keyId = caller.keyId
    this.workspace = caller.workspace
    this.createdAt = createdAt
    this.#client = client
    // The promise may reject when no caller awaits it any more. Such a rejection must not crash the process.
    this.#ready.promise.catch(() => {})
  }

  get ready(): Promise<void> {
    return this.#ready.promise
  }

  get seated(): Promise<void> {
    return this.#seated.promise
  }

  get over(): Promise<void> {
    return this.#over.promise
  }

  text(text: string): Promise<void> {
    return this.#client.text(text)
  }

  get full(): Promise<void> | null {
    const { wire } = this
    return wire && wire.unread > mostUnread ? wire.readBelow(mostUnread / 2) : null
  }

  told({ say, code, message }: WireMessage): void {
    if (say === 'hello') {
      this.isWaiting = false
      this.#seated.resolve()
      this.wire?.tell({ say: 'hello' })
    } else if (say === 'ready') this.#ready.resolve()
    else if (say === 'ended') this.#ended(String(code), String(message))
  }

  broken(reason: string): void {
    this.#ended('worker.crashed', reason)
  }

  #ended(code: string, message: string): void {
    if (this.#isOver) return
    this.#isOver = true
    this.#ready.reject(new Failure(code in failures ? (code as FailureCode) : 'worker.crashed', message))
    this.#client.ended(code, message)
    this.#over.resolve()
  }

  send(text: string): void {
    this.wire?.send(text)
  }

  close(reason?: 'stopped'): void {
    if (this.#isOver) return
    this.#isOver = true
    this.wire?.tell({ say: 'close', ...(reason && { reason }) })
    if (reason) this.#client.ended(reason, 'the connection was ended through the API')
    this.#over.resolve()
  }

  disconnect(): void {
    this.wire?.close()
  }
}

const noSeat = (position: number, retryAfterMs: number): Failure =>
  new Failure(
    'pool.exhausted',
    `all browser pages for clients are in use; this connection was number ${position} in the queue. Try again in ${Math.ceil(retryAfterMs / 1_000)} s, raise SCRAPER_BROWSER_POOL_SIZE, or lower SCRAPER_BROWSER_SEATS_FOR_JOBS`,
    { position, retryAfterMs },
  )

const notStarted = (): Failure => new Failure('browser.not-started', 'the browser did not start in time')

const clientGone = (): Failure => new Failure('job.cancelled', 'the client has disconnected')

const inUse = (id: string): Failure =>
  new Failure('job.exists', `sessionId: "${id}" has an open connection; choose another id`, {
    path: 'sessionId',
  })
