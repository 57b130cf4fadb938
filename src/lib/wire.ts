// A wire: ordered texts between two ends over the bus. A lost message or a silent end breaks it.
import type { Bus } from '../ports/bus.ts'

export interface WireEvents {
  text(text: string): void
  /** A control message of the other end. */
  told(message: WireMessage): void
  /** Called once, unless this end closed the wire. */
  broken(reason: string): void
}

/** `hello` opens the wire. The others belong to the two ends. */
export interface WireMessage {
  say: string
  [field: string]: unknown
}

export interface Wire {
  send(text: string): void
  tell(message: WireMessage): void
  close(): void
}

/** The end of the client, or the end of the worker. */
export type WireSide = 'client' | 'worker'

interface Parcel {
  from: WireSide
  /** Counts from 1 for each side. A heartbeat has none. */
  seq?: number
  text?: string
  message?: WireMessage
}

const signsEveryMs = 3_000
const longestSilenceMs = 20_000

/** Resolves once this end listens. The other end must listen before it can receive, so both say hello first. */
export async function openWire(bus: Bus, name: string, side: WireSide, events: WireEvents): Promise<Wire> {
  const topic = `wire.${name}`
  let sent = 0
  let received = 0
  let isOver = false
  let heardAt: number | null = null
  const end = (reason: string | null) => {
    if (isOver) return
    isOver = true
    clearInterval(signs)
    stop?.()
    if (reason !== null) events.broken(reason)
  }
  const post = (parcel: Omit<Parcel, 'from'>) => {
    if (isOver) return
    bus
      .publish(topic, JSON.stringify({ from: side, ...parcel }))
      .catch((error: Error) => end(`the line to the browser failed: ${error.message}`))
  }
  const hear = (text: string) => {
    const { from, seq, text: body, message } = JSON.parse(text) as Parcel
    if (isOver || from === side) return
    heardAt = performance.now()
    if (seq === undefined) return
    received += 1
    if (seq !== received) return end('a message between the client and the browser was lost')
    if (body !== undefined) events.text(body)
    else if (message) events.told(message)
  }
  const signs = setInterval(() => {
    post({})
    if (heardAt !== null && performance.now() - heardAt > longestSilenceMs)
      end(`the other end was silent for ${longestSilenceMs} ms`)
  }, signsEveryMs)
  signs.unref()
  let stop: (() => void) | null = null
  stop = await bus.subscribe(topic, hear)
  return {
    send: text => post({ seq: ++sent, text }),
    tell: message => post({ seq: ++sent, message }),
    close: () => end(null),
  }
}
