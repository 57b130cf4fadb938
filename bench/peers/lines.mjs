// Appends JSON lines to a file in large writes; several threads may append to the same file.
import { closeSync, openSync, writeSync } from 'node:fs'

export function openLines(path) {
  const file = openSync(path, 'a')
  let waiting = ''
  const flush = () => {
    writeSync(file, waiting)
    waiting = ''
  }
  return {
    add(record) {
      waiting += `${JSON.stringify(record)}\n`
      if (waiting.length > 65_536) flush()
    },
    close() {
      flush()
      closeSync(file)
    },
  }
}
