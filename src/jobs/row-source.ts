// Where rows come from: a file of one's own, or bytes that someone else keeps. Opened as often as it is asked for.
import { createReadStream } from 'node:fs'

export interface RowSource {
  /** What it is called in messages; its ending says the format. */
  name: string
  open(): AsyncIterable<Buffer>
}

const readBytes = 1 << 18

export const fileSource = (path: string): RowSource => ({
  name: path,
  open: () => createReadStream(path, { highWaterMark: readBytes }),
})
