// Records every request of a tab with its response. Bodies are stored as received, after content decoding.
import type { PageParts, PartExchange, SkippedPart } from '../../../model/page/page-parts.ts'
import type { Session } from './connection.ts'
import type { EventOf } from './protocol.ts'
import { type PendingPart, partOf, type Received } from './recorded-part.ts'

export interface RecordingLimits {
  /** Limit for all bodies of a page together, bodies of requests included. */
  maxBytes: number
}

/** Maximum number of recorded requests per page. Few pages send more, and each recorded request uses memory. */
const mostParts = 10_000
/** Maximum size in bytes of the recorded body of a request. Larger uploads are left out. */
const mostPostBytes = 5_000_000
/** Maximum number of URLs in `#exact`. */
const mostRemembered = 200
/** Maximum number of reported reasons why parts were left out. */
const mostSkipped = 1_000
/** How long to wait for the browser to return a body. Later bodies are left out. */
const bodyWithinMs = 10_000

/** Resource types that are not recorded. A browser that replays the page repeats preflights itself, and streams and
 *  sockets have no end. */
const notRecorded = new Set(['Preflight', 'WebSocket', 'EventSource', 'CSPViolationReport', 'SignedExchange'])

export class TrafficRecorder {
  readonly #open = new Map<string, PendingPart>()
  readonly #received = new Map<string, Received>()
  readonly #bodies = new Set<Promise<void>>()
  readonly #sessions = new Set<Session>()
  /** Received bytes of bodies, by URL, if the browser returned them unchanged. A later page may get the same body from
   *  the browser's cache, which returns only decoded text. */
  readonly #exact = new Map<string, Buffer>()
  #limits: RecordingLimits | null = null
  #parts: PartExchange[] = []
  #skipped: SkippedPart[] = []
  #bytes = 0
  #count = 0
  /** Number of the current load. A body with an older number belongs to an earlier page and is dropped. */
  #load = 0

  constructor(session: Session) {
    this.#listen(session)
  }

  get isOn(): boolean {
    return this.#limits !== null
  }

  /** Records requests of frames and workers in other processes, because they belong to the page too. */
  async addSession(session: Session): Promise<void> {
    this.#listen(session)
    if (this.#limits) await keepBodies(session, this.#limits)
  }

  removeSession(session: Session): void {
    this.#sessions.delete(session)
  }

  /** Call before each load. Null turns the recording off. */
  async begin(limits: RecordingLimits | null): Promise<void> {
    this.#load++
    this.#parts = []
    this.#skipped = []
    this.#bytes = this.#count = 0
    this.#open.clear()
    this.#received.clear()
    this.#bodies.clear()
    const wasOn = this.#limits !== null
    this.#limits = limits
    if (limits && !wasOn) await Promise.all([...this.#sessions].map(session => keepBodies(session, limits)))
  }

  /** Returns the recorded parts. Never rejects: a page without its archive is still a complete result. */
  async finish(): Promise<PageParts | null> {
    if (!this.#limits) return null
    const { promise: late, resolve } = Promise.withResolvers<void>()
    const timer = setTimeout(resolve, bodyWithinMs)
    await Promise.race([late, Promise.all(this.#bodies)])
    clearTimeout(timer)
    for (const { url } of this.#open.values()) this.#skip(url, 'it was still loading when the page was read')
    const exchanges = this.#parts.toSorted((a, b) => a.startedAt - b.startedAt)
    return { exchanges, skipped: this.#skipped, isWhole: true }
  }

  #listen(session: Session): void {
    this.#sessions.add(session)
    session.on('Network.requestWillBeSent', event => this.#requested(event))
    session.on('Network.requestWillBeSentExtraInfo', ({ requestId, headers }) => {
      this.#receivedOf(requestId)?.sent.push(headers)
    })
    session.on('Network.responseReceivedExtraInfo', ({ requestId, headers, statusCode }) => {
      this.#receivedOf(requestId)?.answered.push({ headers, status: statusCode })
    })
    session.on('Network.responseReceived', ({ requestId, response }) => {
      const part = this.#open.get(requestId)
      if (part) part.response = response
    })
    session.on('Network.dataReceived', ({ requestId, dataLength }) => {
      const part = this.#open.get(requestId)
      if (part) part.length += dataLength
    })
    session.on('Network.loadingFinished', ({ requestId }) => this.#finished(session, requestId))
    session.on('Network.loadingFailed', ({ requestId }) => this.#open.delete(requestId))
  }

  /** The headers recorded for a request; null if the request is not recorded. The events with headers can arrive before
   *  the event of the request itself. */
  #receivedOf(requestId: string): Received | null {
    const known = this.#received.get(requestId)
    if (!this.#limits || (!known && this.#received.size >= mostParts)) return null
    const received = known ?? { sent: [], answered: [] }
    this.#received.set(requestId, received)
    return received
  }

  #requested(event: EventOf<'Network.requestWillBeSent'>): void {
    if (!this.#limits) return
    const { requestId, request, redirectResponse, wallTime, type } = event
    const before = this.#open.get(requestId)
    if (before && redirectResponse) this.#keep(requestId, { ...before, response: redirectResponse }, empty)
    this.#open.delete(requestId)
    if (!/^https?:/.test(request.url) || notRecorded.has(type ?? '')) return
    if (++this.#count > mostParts)
      return void this.#skip(request.url, `the page sent more than ${mostParts} requests`)
    const hop = redirectResponse && before ? before.hop + 1 : 0
    const startedAt = Math.round(wallTime * 1_000)
    const { url, method, headers } = request
    const body = bodyOf(request)
    if (this.#isFull(url, body?.length ?? 0)) return
    this.#open.set(requestId, { url, method, headers, body, startedAt, hop, length: 0, response: null })
  }

  #finished(session: Session, requestId: string): void {
    const part = this.#open.get(requestId)
    this.#open.delete(requestId)
    if (!part?.response || !this.#limits) return
    if (this.#isFull(part.url, part.length)) return
    const load = this.#load
    const taken: Promise<void> = this.#bodyOf(session, requestId, part).then(
      body => {
        if (load === this.#load) this.#keep(requestId, part, body)
      },
      (error: Error) => {
        if (load === this.#load) this.#skip(part.url, `the browser did not keep its body (${error.message})`)
      },
    )
    this.#bodies.add(taken)
  }

  #keep(requestId: string, part: PendingPart, body: Body): void {
    this.#parts.push(partOf(part, this.#received.get(requestId), body))
  }

  /** Whether the body would exceed the limit. If not, its bytes are counted. */
  #isFull(url: string, bytes: number): boolean {
    const { maxBytes } = this.#limits!
    const isFull = this.#bytes + bytes > maxBytes
    if (isFull) this.#skip(url, `its ${bytes} bytes exceed results.archive_max_bytes (${maxBytes} per page)`)
    else this.#bytes += bytes
    return isFull
  }

  #skip(url: string, why: string): void {
    if (this.#skipped.length < mostSkipped) this.#skipped.push({ url, why })
  }

  async #bodyOf(session: Session, requestId: string, { url, method, length }: PendingPart): Promise<Body> {
    if (length === 0 || method === 'HEAD') return empty
    const { body, base64Encoded } = await session.send('Network.getResponseBody', { requestId })
    if (base64Encoded) {
      const bytes = Buffer.from(body, 'base64')
      if (bytes.length < 1_000_000 && this.#exact.size < mostRemembered) this.#exact.set(url, bytes)
      return { bytes }
    }
    const bytes = Buffer.from(body)
    if (bytes.length === length) return { bytes }
    const known = this.#exact.get(url)
    return known?.length === length ? { bytes: known } : { bytes, isReencoded: true }
  }
}

interface Body {
  bytes: Buffer
  isReencoded?: boolean
}

const empty: Body = { bytes: Buffer.alloc(0) }

function bodyOf({
  postDataEntries,
  hasPostData,
}: EventOf<'Network.requestWillBeSent'>['request']): Buffer | null {
  if (!hasPostData) return null
  return Buffer.concat((postDataEntries ?? []).map(({ bytes = '' }) => Buffer.from(bytes, 'base64')))
}

/** Tells the browser to store bodies. Current browsers store the received bytes (durable messages). Older browsers
 *  return texts only in decoded form. */
async function keepBodies(session: Session, { maxBytes }: RecordingLimits): Promise<void> {
  const sizes = { maxTotalBufferSize: maxBytes, maxResourceBufferSize: maxBytes }
  await session.send('Network.enable', {
    ...sizes,
    maxPostDataSize: mostPostBytes,
    enableDurableMessages: true,
  })
  await session.send('Network.configureDurableMessages', sizes).catch(() => {})
}
