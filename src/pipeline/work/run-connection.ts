// A browser connection in a lane: a client controls a browser of the pool over a wire, until one side closes.

import type { EgressTarget } from '../../fetch/browser/browser-fetch.ts'
import type { LentSeat } from '../../fetch/browser/lent/lent-browsers.ts'
import { SeatControl } from '../../fetch/browser/seats/seat-control.ts'
import { hostOf } from '../../frontier/canonical-url.ts'
import { openWire, type Wire, type WireMessage, wireName } from '../../lib/wire.ts'
import { asFailure, Failure } from '../../model/failures.ts'
import type { TimedTask } from '../../model/lane.ts'
import type { RecordData } from '../../model/record.ts'
import type { Bus } from '../../ports/bus.ts'
import type { ConnectionInput } from '../../scraper/builtin/browser-connection.ts'
import type { JobBrowser } from './lane/job-browser.ts'
import type { OpenJob } from './lane/open-job.ts'
import { cutShort, failedReport, noPage, succeeded, type TaskParts, type TaskResult } from './task-report.ts'

/** Limit of characters that a client has not read yet. Above it, the connection is closed. */
const mostUnread = 64 * 1_048_576
const doesNotRead = 'the client does not read what the browser sends'

/** Timeout for the first message from the other end of the wire. */
const helloMs = 10_000

export async function runConnection(
  parts: TaskParts & { bus: Bus },
  job: OpenJob,
  browser: JobBrowser,
  task: TimedTask,
  signal: AbortSignal,
): Promise<TaskResult> {
  const startedAt = parts.clock.now()
  const input = JSON.parse(task.input ?? '{}') as ConnectionInput
  try {
    const data = await serve(parts, job, browser, task, input, signal)
    const page = noPage(task, startedAt, parts.clock.now())
    const reading = {
      extracted: [{ data: data as unknown as RecordData, provenance: {} }],
      ...{ links: null, sitemaps: [], canonicalKey: null, contentKey: null, specParsed: false },
    }
    return { report: succeeded(job, task, page, reading), page: null }
  } catch (error) {
    const failure = signal.aborted ? cutShort(task, signal) : error
    return { report: { ...failedReport(task, failure, parts.clock.now()), startedAt }, page: null }
  }
}

interface ConnectionRecord {
  connection_id: string
  ended: 'client' | 'time' | 'stopped'
  duration_ms: number
  pages: number
  documents: number
  refused: number
  bytes_received: number
  bytes_sent: number
}

async function serve(
  parts: TaskParts & { bus: Bus },
  job: OpenJob,
  browser: JobBrowser,
  task: TimedTask,
  input: ConnectionInput,
  signal: AbortSignal,
): Promise<ConnectionRecord> {
  const startedAt = parts.clock.now()
  await using opened = new AsyncDisposableStack()
  const line = new ClientLine()
  const over = AbortSignal.any([signal, line.ended])
  const { workspace } = job.job
  const wire = await openWire(parts.bus, wireName(workspace, input.connectionId), 'worker', line)
  // Tell the API process why the connection ended, before the wire closes.
  opened.defer(() => {
    wire.tell({ say: 'ended', ...line.farewell })
    wire.close()
  })
  try {
    await greet(parts, wire, line, over)
    const permits = new ConnectionPermits(parts, task, over)
    const visit = browser.visitFor(task, job.identitiesFor(task))
    const state = await browser.state()
    const toClient = (text: string) => {
      if (wire.unread > mostUnread) return line.close('client', doesNotRead)
      wire.send(text)
    }
    let fromBrowser = toClient
    const seat = await browser.parts.fetch.lend(
      {
        ...{ ...visit, state },
        maxBytes: input.maxBytes,
        before: target => permits.before(target),
        rules: {
          beforeDocument: url => permits.beforeDocument(url),
          maxPages: input.maxPages,
          consents: input,
        },
        client: { send: text => fromBrowser(text), closed: () => line.close('client') },
      },
      over,
    )
    opened.defer(() => seat.release())
    if (input.protocol === 'playwright') {
      const client = browser.parts.servePlaywright({
        ...{ state, folder: seat.folder, toClient, consents: input },
        toBrowser: text => void seat.browser.receive(text),
      })
      opened.defer(() => client.close())
      fromBrowser = text => line.guard(() => client.fromBrowser(text))
      line.text = client.fromClient
    } else line.text = text => seat.browser.receive(text)
    opened.defer(show(browser, task, seat, line))
    const limit = setTimeout(() => line.close('time', timeIsOver(input.maxMs)), input.maxMs)
    opened.defer(() => clearTimeout(limit))
    wire.tell({ say: 'ready' })
    const lost = await Promise.race([seat.lost, line.whenEnded(signal)])
    if (lost) throw lost
    if (browser.keepsSession && line.reason !== 'stopped') await browser.keep(await seat.browser.state())
    const { received, sent } = seat.proxy.bytes
    return {
      ...{ connection_id: input.connectionId, ended: line.reason ?? 'client' },
      ...{ duration_ms: parts.clock.now() - startedAt, pages: seat.browser.pagesOpened },
      ...{ documents: permits.documents, refused: permits.refused },
      ...{ bytes_received: received, bytes_sent: sent },
    }
  } catch (error) {
    line.failed(asFailure(signal.aborted ? signal.reason : line.ended.aborted ? line.ended.reason : error))
    throw line.ended.aborted && !signal.aborted ? line.ended.reason : error
  }
}

/** Shows the browser in the live view. While a person controls the page there, commands of the client wait. */
function show(
  browser: JobBrowser,
  { jobId, n }: TimedTask,
  { browser: lent }: LentSeat,
  line: ClientLine,
): () => void {
  const page = () => lent.pages.at(-1) ?? null
  return browser.parts.fetch.seats.add({
    ...{ kind: 'connection', jobId, n },
    control: new SeatControl(isPaused => lent.hold(isPaused)),
    url: () => page()?.url ?? 'about:blank',
    page: async () => page()?.send ?? null,
    console: () => page()?.console ?? [],
    state: () => lent.state(),
    end: () => line.close('stopped', 'the connection was ended through the API'),
  })
}

/** Sends a first message over the wire, and resolves when the first message of the other end arrives. */
async function greet(
  { clock }: Pick<TaskParts, 'clock'>,
  wire: Wire,
  line: ClientLine,
  over: AbortSignal,
): Promise<void> {
  wire.tell({ say: 'hello' })
  await Promise.race([line.greeted, clock.sleep(helloMs, over).then(() => Promise.reject(noClient()))])
}

type TakeText = (text: string) => void | Promise<void>

/** Receives the messages of the client, and ends the connection. */
class ClientLine {
  readonly #ended = new AbortController()
  readonly #greeted = Promise.withResolvers<void>()
  reason: ConnectionRecord['ended'] | null = null
  /** Sent to the client when the browser is closed. */
  farewell: { code: string; message: string } = { code: 'client', message: 'the connection was closed' }
  #early: Array<{ text: string; taken: () => void }> = []
  #text: TakeText | null = null

  readonly broken = (reason: string): void => this.close('client', reason)

  readonly told = ({ say, reason }: WireMessage): void => {
    if (say === 'hello') this.#greeted.resolve()
    else if (say === 'close') this.close(reason === 'stopped' ? 'stopped' : 'client')
  }

  get text(): TakeText {
    return text =>
      this.#text ? this.#text(text) : new Promise(taken => void this.#early.push({ text, taken }))
  }

  set text(take: TakeText) {
    this.#text = text => this.guard(() => take(text))
    for (const { text, taken } of this.#early.splice(0)) void Promise.resolve(this.#text(text)).then(taken)
  }

  /** Runs `handle`. If it throws, only this connection ends, not the lane with the pages of other jobs. */
  guard<Result>(handle: () => Result): Result | undefined {
    try {
      return handle()
    } catch (error) {
      this.close('client', asFailure(error).message)
    }
  }

  get greeted(): Promise<void> {
    return this.#greeted.promise
  }

  /** Aborts when the connection has ended, also while the browser is still opening. */
  get ended(): AbortSignal {
    return this.#ended.signal
  }

  close(reason: ConnectionRecord['ended'], message?: string): void {
    if (this.reason !== null) return
    this.reason = reason
    this.farewell = { code: reason, message: message ?? this.farewell.message }
    this.#ended.abort(noClient())
  }

  failed({ code, message }: Failure): void {
    this.farewell = { code, message }
  }

  /** Resolves when the client or a limit has ended the connection. Rejects if the task is stopped. */
  whenEnded(signal: AbortSignal): Promise<null> {
    return new Promise((resolve, reject) => {
      if (this.ended.aborted) return resolve(null)
      this.ended.addEventListener('abort', () => resolve(null), { once: true })
      signal.addEventListener('abort', () => reject(signal.reason), { once: true })
    })
  }
}

/** Requests permits for the connection's task. For each document, the do-not-crawl list, robots.txt and the rate apply. For each
 *  further host that a page loads from, the list and the rate apply. */
class ConnectionPermits {
  readonly #parts: TaskParts
  readonly #task: TimedTask
  readonly #signal: AbortSignal
  #hosts = new Map<string, Promise<void>>()
  /** Documents that are permitted and not requested yet. */
  readonly #due = new Set<string>()
  documents = 0
  refused = 0

  constructor(parts: TaskParts, task: TimedTask, signal: AbortSignal) {
    this.#parts = parts
    this.#task = task
    this.#signal = signal
  }

  async beforeDocument(url: string): Promise<void> {
    try {
      await this.#ask(url, 'extra')
    } catch (error) {
      this.refused += 1
      throw error
    }
    this.documents += 1
    this.#hosts = new Map([[hostOf(url), Promise.resolve()]])
    this.#due.add(url)
  }

  /** Called before each request of the browser. A document already has its permit. Every other host of a page needs a
   *  permit. */
  async before({ url, isNavigation }: EgressTarget): Promise<void> {
    if (isNavigation && this.#due.delete(url)) return
    const host = hostOf(url)
    const asked = this.#hosts.get(host) ?? this.#ask(url, 'part')
    this.#hosts.set(host, asked)
    await asked
  }

  async #ask(url: string, purpose: 'extra' | 'part'): Promise<void> {
    const { jobId, n } = this.#task
    await this.#parts.askPermit({ jobId, n, url, purpose }, this.#signal)
  }
}

const noClient = (): Failure =>
  new Failure('job.cancelled', 'the client of this browser connection has disconnected')

const timeIsOver = (ms: number): string =>
  `the connection reached its time limit of ${Math.round(ms / 1_000)} s; connect again, or set a longer timeout`
