// A wire carries texts in order between two ends over the bus. The wire breaks if a message is lost or an end stops
// responding.
import type { Bus } from '../ports/bus.ts'

interface WireEvents {
  /** Receives a text. The other end counts it as unread until the returned promise resolves. */
  text(text: string): void | Promise<void>
  /** Receives a control message of the other end. */
  told(message: WireMessage): void
  /** Called once when the wire breaks. Not called if this end closed it. */
  broken(reason: string): void
}

/** A control message. `hello` opens the wire. The users of the wire define the other messages. */
export interface WireMessage {
  say: string
  [field: string]: unknown
}

export interface Wire {
  send(text: string): void
  tell(message: WireMessage): void
  /** Number of sent characters that the other end has not read yet. It may be a few hundred thousand too high. */
  readonly unread: number
  /** Resolves when fewer than this many characters are unread, or when the wire has ended. */
  readBelow(characters: number): Promise<void>
  close(): void
}

/** The end of the client, or the end of the worker. */
type WireSide = 'client' | 'worker'

/** The header of a message. A text follows it after a line break, without escaping, because escaping a long text would
 *  block the thread. */
interface Parcel {
  from: WireSide
  /** Sequence number per side, from 1. Heartbeats and acknowledgements have none. */
  seq?: number
  /** Number of characters that this end has read since its last acknowledgement. */
  read?: number
  message?: WireMessage
}

/** Number of characters that are read before an acknowledgement is sent. Acknowledging each text would double the
 *  messages. */
const acknowledgedCharacters = 262_144

const signsEveryMs = 3_000
const longestSilenceMs = 20_000

/** Clients may choose the id of a connection, so the name of its wire also contains the workspace. */
export const wireName = (workspace: string, connectionId: string): string => `${workspace}/${connectionId}`

/** Resolves when this end listens. An end can receive only after it listens, so both ends send `hello` first. */
export async function openWire(bus: Bus, name: string, side: WireSide, events: WireEvents): Promise<Wire> {
  const topic = `wire.${name}`
  let sent = 0
  let received = 0
  let isOver = false
  let heardAt: number | null = null
  let unread = 0
  let unacknowledged = 0
  const waiting = new Set<{ below: number; resolve: () => void }>()
  const wake = () => {
    for (const one of waiting)
      if (isOver || unread < one.below) {
        waiting.delete(one)
        one.resolve()
      }
  }
  const end = (reason: string | null) => {
    if (isOver) return
    isOver = true
    clearInterval(signs)
    stop?.()
    wake()
    if (reason !== null) events.broken(reason)
  }
  const post = (parcel: Omit<Parcel, 'from'>, text?: string) => {
    if (isOver) return
    const head = JSON.stringify({ from: side, ...parcel })
    bus
      .publish(topic, text === undefined ? head : `${head}\n${text}`)
      .catch((error: Error) => end(`the connection to the browser failed: ${error.message}`))
  }
  const haveRead = (characters: number) => {
    unacknowledged += characters
    if (unacknowledged < acknowledgedCharacters) return
    post({ read: unacknowledged })
    unacknowledged = 0
  }
  const hear = (heard: string) => {
    const cut = heard.indexOf('\n')
    const { from, seq, read, message } = JSON.parse(cut === -1 ? heard : heard.slice(0, cut)) as Parcel
    if (isOver || from === side) return
    heardAt = performance.now()
    if (read !== undefined) {
      unread -= read
      wake()
    }
    if (seq === undefined) return
    received += 1
    if (seq !== received) return end('a message between the client and the browser was lost')
    if (message) return events.told(message)
    const text = heard.slice(cut + 1)
    const taken = events.text(text)
    if (taken) void taken.then(() => haveRead(text.length))
    else haveRead(text.length)
  }
  const signs = setInterval(() => {
    post({})
    if (heardAt !== null && performance.now() - heardAt > longestSilenceMs)
      end(`the other side of the browser connection sent nothing for ${longestSilenceMs} ms`)
  }, signsEveryMs)
  signs.unref()
  let stop: (() => void) | null = null
  stop = await bus.subscribe(topic, hear)
  return {
    send: text => {
      unread += text.length
      post({ seq: ++sent }, text)
    },
    get unread() {
      return unread
    },
    readBelow: below =>
      new Promise(resolve => {
        waiting.add({ below, resolve })
        wake()
      }),
    tell: message => post({ seq: ++sent, message }),
    close: () => end(null),
  }
}
