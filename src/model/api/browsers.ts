// Response schemas of the browsers API: browser pages in use, and their live view.
import * as z from 'zod'

const shownSeat = z.object({
  browserId: z.string(),
  kind: z.enum(['task', 'connection']).describe('A page of a job’s task, or a browser that a client drives.'),
  jobId: z.string(),
  task: z.int().describe('Number of the task in its job.'),
  url: z.string(),
  step: z
    .string()
    .nullable()
    .describe('The action that the task runs now, like `actions[2] click`; null if it runs none.'),
  openedAt: z.string(),
  paused: z.boolean(),
  worker: z.string().nullable(),
})

const shownWaiting = z.object({
  connectionId: z.string(),
  jobId: z.string(),
  position: z.int().describe('Position in the queue for a browser page, from 1.'),
  since: z.string(),
})

export const browserList = z.object({ browsers: z.array(shownSeat), waiting: z.array(shownWaiting) })

export const browserView = z.object({
  url: z.string(),
  title: z.string(),
  step: z.string().nullable(),
  paused: z.boolean(),
  image: z.string().nullable().describe('A JPEG as base64; null if the page could not be captured.'),
  width: z.number().describe('Width of the window in CSS pixels; `x` and `y` of input refer to the window.'),
  height: z.number(),
  console: z.array(z.string()),
})

export type BrowserInUse = z.infer<typeof shownSeat>
export type WaitingConnection = z.infer<typeof shownWaiting>
export type BrowserView = z.infer<typeof browserView>
