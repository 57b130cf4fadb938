// The seats in use of one pool: their owners, their live view, and control by a person.
import { randomUUID } from 'node:crypto'
import { Failure } from '../../../model/failures.ts'
import type { StorageState } from '../../../model/policy/rendering.ts'
import type { OpenSeat, SeatCommand, SeatView } from '../../../model/seat.ts'
import { limitOf, raced } from '../bounded.ts'
import { act, lookAt, type SendCommand } from './page-viewer.ts'
import type { SeatControl } from './seat-control.ts'

/** A seat in use, as the board accesses it. */
interface SeatEntry extends Pick<OpenSeat, 'kind' | 'jobId' | 'n'> {
  url: () => string
  control: SeatControl
  /** Resolves with null while the seat has no page. */
  page: () => Promise<SendCommand | null>
  console: () => readonly string[]
  state: () => Promise<StorageState>
  /** Ends the connection of a client. Undefined for tasks, because a task ends with its job. */
  end?: () => void
}

/** Stores a state as a saved login of a workspace. */
export type SaveSession = (
  named: { session: string; workspace: string },
  state: StorageState,
) => Promise<void>

const lookMs = 5_000
const shownLines = 100

export class SeatBoard {
  readonly #seats = new Map<string, { entry: SeatEntry; openedAt: number }>()

  /** Adds a seat. Returns the function that removes it. */
  add(entry: SeatEntry): () => void {
    const id = randomUUID()
    this.#seats.set(id, { entry, openedAt: Date.now() })
    return () => {
      this.#seats.delete(id)
      entry.control.resume()
    }
  }

  get all(): OpenSeat[] {
    return [...this.#seats].map(([id, { entry, openedAt }]) => {
      const { kind, jobId, n, control } = entry
      const { step, isPaused } = control
      return { id, kind, jobId, n, url: entry.url(), step, openedAt, isPaused }
    })
  }

  /** Executes the command. Returns undefined if the seat is not in this pool. */
  answer(command: SeatCommand, save: SaveSession): Promise<unknown> | undefined {
    const entry = this.#seats.get(command.seat)?.entry
    return entry && this.#do(entry, command, save)
  }

  async #do(entry: SeatEntry, command: SeatCommand, save: SaveSession): Promise<unknown> {
    const { control } = entry
    if (command.do === 'look') return this.#look(entry, command.scale)
    if (command.do === 'pause') control.pause()
    else if (command.do === 'resume') control.resume()
    else if (command.do === 'save') await save(command, await entry.state())
    else if (command.do === 'end') {
      if (!entry.end)
        throw new Failure('job.wrong-state', 'this page belongs to a task; cancel its job to end it')
      entry.end()
    } else {
      if (!control.isPaused) throw new Failure('job.wrong-state', 'pause the browser before you control it')
      await act(await pageOf(entry), command.input)
    }
    return null
  }

  async #look(entry: SeatEntry, scale: number): Promise<SeatView> {
    const { control } = entry
    const { step, isPaused } = control
    using limit = limitOf(lookMs, new Failure('fetch.timeout', 'the page did not answer in time'))
    const look = await raced(
      pageOf(entry).then(send => lookAt(send, scale)),
      limit.signal,
    )
    return { ...look, step, isPaused, console: entry.console().slice(-shownLines) }
  }
}

async function pageOf(entry: SeatEntry): Promise<SendCommand> {
  const send = await entry.page()
  if (send === null) throw new Failure('item.unknown', 'this browser has no page open')
  return send
}
