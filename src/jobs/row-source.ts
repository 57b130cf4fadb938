// A source of rows: a local file, or stored bytes. Can be opened repeatedly.
import { createReadStream } from 'node:fs'

export interface RowSource {
  /** Its name in messages; its extension selects the format. */
  name: string
  open(): AsyncIterable<Buffer>
}

const readBytes = 1 << 18

export const fileSource = (path: string): RowSource => ({
  name: path,
  open: () => createReadStream(path, { highWaterMark: readBytes }),
})
