// An export as a stream of bytes, for callers on other machines.
import { once } from 'node:events'
import { type Readable, Transform } from 'node:stream'
import type { Job, OutputFormat } from '../../model/job.ts'
import type { TableShape } from '../../model/table-shape.ts'
import type { Blobs } from '../../ports/blobs.ts'
import type { Store } from '../../ports/store.ts'
import { exportJob } from '../../results/exports/export-job.ts'
import { describePage } from './describe-page.ts'

/** Resolves when the first bytes are available. If the job cannot be exported, it rejects before any byte is sent. */
export async function exportStream(
  parts: { store: Store; blobs: Blobs },
  job: Job,
  format: OutputFormat,
  shape: Partial<TableShape> = {},
): Promise<Readable> {
  // Copy each chunk, because the writer reuses its buffer.
  const stream = new Transform({ transform: (chunk, _encoding, done) => done(null, Buffer.from(chunk)) })
  // The reader of the stream gets the error too. Without this listener, an error without a reader would end the process.
  stream.on('error', () => {})
  const done = exportJob({ ...parts, describePage, stdout: stream }, job, { path: '-', format }, shape)
  const ended = done.then(
    () => void stream.end(),
    error => {
      stream.destroy(error)
      throw error
    },
  )
  await Promise.race([once(stream, 'readable'), ended])
  // From now on a failure destroys the stream, so that the reader gets the error. The rejection itself needs no handling.
  ended.catch(() => {})
  return stream
}
