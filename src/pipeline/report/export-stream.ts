// An export as a stream of bytes, for callers on other machines.
import { once } from 'node:events'
import { type Readable, Transform } from 'node:stream'
import type { Job, OutputFormat } from '../../model/job.ts'
import type { TableShape } from '../../model/table-shape.ts'
import type { Blobs } from '../../ports/blobs.ts'
import type { Store } from '../../ports/store.ts'
import { exportJob } from '../../results/exports/export-job.ts'
import { describePage } from './describe-page.ts'

/** Resolves with the first bytes. A job that cannot be exported rejects before that, not in the middle of a file. */
export async function exportStream(
  parts: { store: Store; blobs: Blobs },
  job: Job,
  format: OutputFormat,
  shape: Partial<TableShape> = {},
): Promise<Readable> {
  // Copied, because the writer reuses its buffer after the callback.
  const stream = new Transform({ transform: (chunk, _encoding, done) => done(null, Buffer.from(chunk)) })
  // The reader sees the error as the end of the stream. Without a listener it would end the process.
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
  // From here on a failure breaks the stream, and the reader sees that.
  ended.catch(() => {})
  return stream
}
