// A source of rows: a local file, or stored bytes. It can be opened several times.
import { createReadStream } from 'node:fs'

export interface RowSource {
  /** The name of the source in messages. Its extension selects the format. */
  name: string
  open(): AsyncIterable<Buffer>
}

const readBytes = 1 << 18

export const fileSource = (path: string): RowSource => ({
  name: path,
  open: () => createReadStream(path, { highWaterMark: readBytes }),
})
