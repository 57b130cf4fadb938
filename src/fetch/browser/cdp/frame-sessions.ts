// Frames of other sites run in their own process and session. Each gets the settings of the tab before it loads anything.
import { Failure } from '../../../model/failures.ts'
import { Connection, type Session } from './connection.ts'
import type { EventOf } from './protocol.ts'

export interface FrameSessionParts {
  /** Of the tab. */
  session: Session
  /** The connection for frame sessions; without one, their messages go through the parent session. */
  connection: Connection | null
  /** Configures the frame while it is paused. */
  prepare: (frame: Session) => Promise<unknown>
  /** The frame was removed, or moved to another process. */
  gone: (frame: Session) => void
}

export class FrameSessions {
  readonly #parts: FrameSessionParts
  readonly #frames = new Map<string, Session>()
  /** Sessions whose messages go through another session. */
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

  /** Nested frames are reported by their parent frame. */
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
    // The frame may have been closed meanwhile; that is not a failure of the page.
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
