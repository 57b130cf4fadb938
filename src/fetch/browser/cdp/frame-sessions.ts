// Frames of other sites, each in a process and with a session of its own: told what the tab was told before they load anything.
import { Failure } from '../../../model/failures.ts'
import { Connection, type Session } from './connection.ts'
import type { EventOf } from './protocol.ts'

export interface FrameSessionParts {
  /** Of the tab. */
  session: Session
  /** On which frames have sessions like the tab; without one, their messages go through the session around them. */
  connection: Connection | null
  /** Sends the frame what it has to know; it waits meanwhile. */
  prepare: (frame: Session) => Promise<unknown>
  /** The frame is gone, or went on to a site of another process. */
  gone: (frame: Session) => void
}

export class FrameSessions {
  readonly #parts: FrameSessionParts
  readonly #frames = new Map<string, Session>()
  /** Those whose messages go through another session. */
  readonly #nested = new Map<string, Connection>()

  constructor(parts: FrameSessionParts) {
    this.#parts = parts
  }

  get all(): Session[] {
    return [...this.#frames.values()]
  }

  begin(): Promise<unknown> {
    return this.#attend(this.#parts.session)
  }

  /** Frames in frames are told of by the frame around them. */
  #attend(session: Session): Promise<unknown> {
    session.on('Target.attachedToTarget', event => void this.#attached(session, event))
    session.on('Target.detachedFromTarget', ({ sessionId }) => this.#detached(sessionId))
    session.on('Target.receivedMessageFromTarget', ({ sessionId, message }) =>
      this.#nested.get(sessionId)?.receive(message),
    )
    return session.send('Target.setAutoAttach', {
      ...{ autoAttach: true, waitForDebuggerOnStart: true, flatten: this.#parts.connection !== null },
      filter: [{ type: 'iframe' }],
    })
  }

  #sessionOf(around: Session, sessionId: string): Session {
    const { connection } = this.#parts
    if (connection) return connection.session(sessionId)
    const nested = new Connection(message =>
      around.send('Target.sendMessageToTarget', { sessionId, message }).catch(() => {}),
    )
    this.#nested.set(sessionId, nested)
    return nested.browser
  }

  async #attached(around: Session, { sessionId }: EventOf<'Target.attachedToTarget'>): Promise<void> {
    const frame = this.#sessionOf(around, sessionId)
    this.#frames.set(sessionId, frame)
    await Promise.allSettled([this.#attend(frame), this.#parts.prepare(frame)])
    // A frame that was closed meanwhile is no failure of its page.
    await frame.send('Runtime.runIfWaitingForDebugger').catch(() => {})
  }

  #detached(sessionId: string): void {
    const frame = this.#frames.get(sessionId)
    if (!frame) return
    this.#frames.delete(sessionId)
    this.#nested.get(sessionId)?.gone(closed())
    this.#nested.delete(sessionId)
    this.#parts.gone(frame)
  }
}

const closed = () => new Failure('browser.crashed', 'The frame is gone', { scope: 'page' })
