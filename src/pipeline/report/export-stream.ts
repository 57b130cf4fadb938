// An export as a stream of bytes, for whoever is not on this machine.
import { once } from 'node:events'
import { type Readable, Transform } from 'node:stream'
import type { Job, OutputFormat } from '../../model/job.ts'
import type { TableShape } from '../../model/table-shape.ts'
import type { Blobs } from '../../ports/blobs.ts'
import type { Store } from '../../ports/store.ts'
import { exportJob } from '../../results/exports/export-job.ts'

/** Resolves with the first bytes: what can't be exported is said before, and not in the middle of a file. */
export async function exportStream(
  parts: { store: Store; blobs: Blobs },
  job: Job,
  format: OutputFormat,
  shape: Partial<TableShape> = {},
): Promise<Readable> {
  // Copied: who writes uses its memory again once it is told that the bytes are taken.
  const stream = new Transform({ transform: (chunk, _encoding, done) => done(null, Buffer.from(chunk)) })
  // Readers hear of it as the end of the stream; unheard, it would end the process.
  stream.on('error', () => {})
  const done = exportJob({ ...parts, stdout: stream }, job, { path: '-', format }, shape)
  const ended = done.then(
    () => void stream.end(),
    error => {
      stream.destroy(error)
      throw error
    },
  )
  await Promise.race([once(stream, 'readable'), ended])
  // From here on the reader sees a broken stream.
  ended.catch(() => {})
  return stream
}
