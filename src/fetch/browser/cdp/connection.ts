// One connection to a browser: commands with responses, and events by session.
import { jsonExcess } from '../../../lib/json/json-scan.ts'
import type { Failure } from '../../../model/failures.ts'
import type { Commands, EventName, EventOf } from './protocol.ts'

/** Limits of one message. The page influences the content, and parsing a huge message could exhaust the memory of the
 *  lane. */
export const messageLimits = { values: 1_000_000, depth: 1_000, keys: 100_000 }
/** Messages of up to this many characters are parsed without a check: they can exceed the limits only a little. */
const alwaysBuilt = 1_048_576

type Listener = (params: never) => void
type Send = (text: string) => void

interface Waiting {
  method: string
  session: string | null
  /** If set, the command resolves with the whole response, even if it is an error. */
  isRaw?: boolean
  resolve: (result: unknown) => void
  reject: (error: Error) => void
}

/** The browser rejected a command. The caller decides whether that matters. */
export class CommandError extends Error {
  readonly method: string

  constructor(method: string, message: string) {
    super(`${method}: ${message}`)
    this.name = 'CommandError'
    this.method = method
  }
}

/** A response as the browser sent it, with its result or its error. */
type RawAnswer = Pick<Incoming, 'result' | 'error'>

/** A message of the browser: a response with an id, or an event without an id. */
export interface Incoming {
  id?: number
  method?: string
  sessionId?: string
  params?: unknown
  result?: unknown
  error?: { code?: number; message: string; data?: string }
}

export class Connection {
  readonly #send: Send
  readonly #waiting = new Map<number, Waiting>()
  readonly #sessions = new Map<string, Session>()
  #lastId = 0
  #goneBecause: Failure | null = null
  /** Commands and events of the browser as a whole, not of one tab. */
  readonly browser: Session
  /** Receives every event before the sessions do. */
  onEvent: ((message: Incoming) => void) | null = null

  constructor(send: Send) {
    this.#send = send
    this.browser = new Session(this, null)
  }

  session(id: string): Session {
    const known = this.#sessions.get(id) ?? new Session(this, id)
    this.#sessions.set(id, known)
    return known
  }

  /** Sends a command and calls `answered` with its response. The call is synchronous, so that the response keeps its
   *  place among the events. Errors of the browser are passed as responses. */
  raw(session: string, method: string, params: object, answered: (answer: RawAnswer) => void): void {
    const failed = ({ message }: Error) => answered({ error: { code: -32000, message } })
    if (this.#goneBecause !== null) return void failed(this.#goneBecause)
    const resolve = (answer: unknown) => answered(answer as RawAnswer)
    this.#ask({ method, session, isRaw: true, resolve, reject: failed }, params)
  }

  command(session: string | null, method: string, params: object): Promise<unknown> {
    if (this.#goneBecause !== null) return Promise.reject(this.#goneBecause)
    const { promise, resolve, reject } = Promise.withResolvers<unknown>()
    this.#ask({ method, session, resolve, reject }, params)
    return promise
  }

  #ask(waiting: Waiting, params: object): void {
    const id = ++this.#lastId
    const { method, session } = waiting
    this.#waiting.set(id, waiting)
    this.#send(
      JSON.stringify(session === null ? { id, method, params } : { id, method, params, sessionId: session }),
    )
  }

  receive(text: string): void {
    if (text.length > alwaysBuilt && jsonExcess(text, messageLimits)) return void this.drop(text)
    const message = JSON.parse(text) as Incoming
    if (message.id === undefined) this.#happened(message)
    else this.#answered(message.id, message)
  }

  /** Handles a message that is too large to parse, given its first characters. If the message is a response, its
   *  command is rejected. If it is an event, it is dropped. */
  drop(start: string): void {
    const id = /^\{"id":(\d+)/.exec(start)?.[1]
    if (id !== undefined)
      this.#answered(Number(id), { error: { code: -32000, message: 'the response is too large' } })
  }

  #happened(message: Incoming): void {
    this.onEvent?.(message)
    const session = message.sessionId === undefined ? this.browser : this.#sessions.get(message.sessionId)
    session?.dispatch(message.method!, message.params)
    if (message.method === 'Target.detachedFromTarget') {
      this.#end((message.params as EventOf<'Target.detachedFromTarget'>).sessionId)
    }
  }

  /** Rejects all pending and all later commands. */
  gone(because: Failure): void {
    this.#goneBecause ??= because
    for (const { reject } of this.#waiting.values()) reject(this.#goneBecause)
    this.#waiting.clear()
    this.#sessions.clear()
  }

  #answered(id: number, { result, error }: Incoming): void {
    const waiting = this.#waiting.get(id)
    this.#waiting.delete(id)
    if (waiting?.isRaw) waiting.resolve(error ? { error } : { result })
    else if (error === undefined) waiting?.resolve(result)
    else waiting?.reject(new CommandError(waiting.method, error.message))
  }

  #end(sessionId: string): void {
    this.#sessions.delete(sessionId)
    for (const [id, { session, method, reject }] of this.#waiting) {
      if (session !== sessionId) continue
      this.#waiting.delete(id)
      reject(new CommandError(method, 'the tab is closed'))
    }
  }
}

/** The commands and events of one target: a tab, or the browser itself. */
export class Session {
  readonly #connection: Connection
  readonly #id: string | null
  readonly #listeners = new Map<string, Set<Listener>>()

  constructor(connection: Connection, id: string | null) {
    this.#connection = connection
    this.#id = id
  }

  send<Method extends keyof Commands>(
    method: Method,
    ...[params]: Commands[Method] extends { params: infer Params } ? [Params] : []
  ): Promise<Commands[Method] extends { result: infer Result } ? Result : unknown> {
    return this.#connection.command(this.#id, method, params ?? {}) as never
  }

  /** Adds a listener. Returns a function that removes it. */
  on<Name extends EventName>(name: Name, listener: (params: EventOf<Name>) => void): () => void {
    const listeners = this.#listeners.get(name) ?? new Set()
    this.#listeners.set(name, listeners.add(listener as Listener))
    return () => void listeners.delete(listener as Listener)
  }

  dispatch(name: string, params: unknown): void {
    for (const listener of this.#listeners.get(name) ?? []) listener(params as never)
  }
}
