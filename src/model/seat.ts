// Seats: browser pages in use, as the live view shows and steers them.
import * as z from 'zod'

/** A browser page of a task, or a browser of a client. */
export interface OpenSeat {
  id: string
  kind: 'task' | 'connection'
  jobId: string
  /** Number of the task in its job. */
  n: number
  url: string
  /** The step of the task's actions, like `actions[2] click`; null if it has none. */
  step: string | null
  openedAt: number
  isPaused: boolean
  /** The process that has it, where there are several. */
  worker?: string
}

/** A look at a seat. */
export interface SeatView {
  url: string
  title: string
  step: string | null
  isPaused: boolean
  /** JPEG as base64; null if the page could not be painted. */
  image: string | null
  /** Of the page's window, in CSS pixels: coordinates of input refer to it. */
  width: number
  height: number
  console: string[]
}

const coordinate = z.number().min(0).max(20_000)
const delta = z.number().min(-20_000).max(20_000)

/** What a person does in a page that was taken over. */
export const seatInput = z.discriminatedUnion('type', [
  z.strictObject({
    type: z.enum(['mouse_down', 'mouse_up', 'mouse_move', 'click']),
    x: coordinate,
    y: coordinate,
    button: z.enum(['left', 'middle', 'right']).default('left'),
  }),
  z.strictObject({ type: z.literal('wheel'), x: coordinate, y: coordinate, deltaX: delta, deltaY: delta }),
  /** Text as if it were typed. */
  z.strictObject({ type: z.literal('text'), text: z.string().min(1).max(10_000) }),
  /** A key by its name: `Enter`, `Tab`, `Backspace`, `ArrowDown`, … */
  z.strictObject({ type: z.literal('key'), key: z.string().min(1).max(30) }),
])
export type SeatInput = z.output<typeof seatInput>

/** What can be asked of an open seat, over the bus. */
export type SeatCommand = { seat: string } & (
  | { do: 'look'; scale: number }
  | { do: 'pause' }
  | { do: 'resume' }
  | { do: 'input'; input: SeatInput }
  | { do: 'save'; session: string; workspace: string }
  | { do: 'end' }
)

/** Topic of these commands. */
export const seatsTopic = 'seats'
