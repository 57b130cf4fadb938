// Seats: browser pages in use. The live view shows and controls them.
import * as z from 'zod'

/** A browser page of a task, or a browser that a client controls. */
export interface OpenSeat {
  id: string
  kind: 'task' | 'connection'
  jobId: string
  /** Number of the task in its job. */
  n: number
  url: string
  /** The current step of the task's actions, like `actions[2] click`. Null if the task has no actions. */
  step: string | null
  openedAt: number
  isPaused: boolean
  /** The process that runs the browser, if there are several. */
  worker?: string
}

/** What the live view shows of a seat. */
export interface SeatView {
  url: string
  title: string
  step: string | null
  isPaused: boolean
  /** The screenshot, a JPEG in base64; null if the browser could not take one. */
  image: string | null
  /** Size of the page's viewport in CSS pixels. The coordinates of `SeatInput` refer to it. */
  width: number
  height: number
  console: string[]
}

const coordinate = z.number().min(0).max(20_000)
const delta = z.number().min(-20_000).max(20_000)

/** Mouse and keyboard input of a person who controls the page through the live view. */
export const seatInput = z.discriminatedUnion('type', [
  z.strictObject({
    type: z.enum(['mouse_down', 'mouse_up', 'mouse_move', 'click']),
    x: coordinate,
    y: coordinate,
    button: z.enum(['left', 'middle', 'right']).default('left'),
  }),
  z.strictObject({ type: z.literal('wheel'), x: coordinate, y: coordinate, deltaX: delta, deltaY: delta }),
  z.strictObject({
    type: z.literal('text'),
    text: z.string().min(1).max(10_000).describe('The text to type.'),
  }),
  /** Presses a key: `Enter`, `Tab`, `Backspace`, `ArrowDown`, … */
  z.strictObject({ type: z.literal('key'), key: z.string().min(1).max(30) }),
])
export type SeatInput = z.output<typeof seatInput>

/** Commands for an open seat. They are sent over the bus. */
export type SeatCommand = { seat: string } & (
  | { do: 'look'; scale: number }
  | { do: 'pause' }
  | { do: 'resume' }
  | { do: 'input'; input: SeatInput }
  | { do: 'save'; session: string; workspace: string }
  | { do: 'end' }
)

/** The bus topic of seat commands. */
export const seatsTopic = 'seats'
