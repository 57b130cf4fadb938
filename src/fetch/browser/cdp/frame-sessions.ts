// Frames of other sites run in their own process and have their own session, and so do workers. Each gets the settings
// of its tab before it loads anything.
import { Failure } from '../../../model/failures.ts'
import { Connection, type Session } from './connection.ts'
import type { EventOf } from './protocol.ts'

interface FrameSessionParts {
  /** The session of the tab. */
  session: Session
  /** The connection for frame sessions. If null, messages of frames go through the session of their parent. */
  connection: Connection | null
  /** Configures the frame or worker while it is paused. */
  prepare: (frame: Session, type: string) => Promise<unknown>
  /** Called when the frame was removed, or moved to another process. */
  gone: (frame: Session) => void
}

export class FrameSessions {
  readonly #parts: FrameSessionParts
  readonly #frames = new Map<string, Session>()
  readonly #types = new Set<string>()
  /** Sessions of frames whose messages go through the session of their parent. */
  readonly #nested = new Map<string, Connection>()

  constructor(parts: FrameSessionParts) {
    this.#parts = parts
  }

  get all(): Session[] {
    return [...this.#frames.values()]
  }

  /** Starts to attach to targets of this type: `iframe` or `worker`. */
  async attend(type: string): Promise<void> {
    if (this.#types.has(type)) return
    const isFirst = this.#types.size === 0
    this.#types.add(type)
    if (isFirst) this.#listen(this.#parts.session)
    await Promise.all([this.#parts.session, ...this.all].map(session => this.#attach(session)))
  }

  /** Listens on the session of the tab or of a frame. Nested frames are reported by their parent frame. */
  #listen(session: Session): void {
    session.on('Target.attachedToTarget', event => void this.#attached(session, event))
    session.on('Target.detachedFromTarget', ({ sessionId }) => this.#detached(sessionId))
    session.on('Target.receivedMessageFromTarget', ({ sessionId, message }) =>
      this.#nested.get(sessionId)?.receive(message),
    )
  }

  #attach(session: Session): Promise<unknown> {
    return session.send('Target.setAutoAttach', {
      ...{ autoAttach: true, waitForDebuggerOnStart: true, flatten: this.#parts.connection !== null },
      filter: [...this.#types].map(type => ({ type })),
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

  async #attached(
    around: Session,
    { sessionId, targetInfo }: EventOf<'Target.attachedToTarget'>,
  ): Promise<void> {
    // When this class attaches to another target type, the browser reports known targets again.
    if (this.#frames.has(sessionId)) return
    const frame = this.#sessionOf(around, sessionId)
    this.#frames.set(sessionId, frame)
    this.#listen(frame)
    await Promise.allSettled([this.#attach(frame), this.#parts.prepare(frame, targetInfo.type)])
    // Ignore errors: the frame may have been closed meanwhile, which is not a failure of the page.
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
