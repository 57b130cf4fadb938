// Targets of an export: a growing file, an atomic file, or a stream.
import { type FileHandle, mkdir, open, rename, rm } from 'node:fs/promises'
import { dirname } from 'node:path'
import type { Writable } from 'node:stream'
import { Failure } from '../../model/failures.ts'

export interface Sink extends AsyncDisposable {
  /** Total size. */
  readonly bytes: number
  write(bytes: string | Uint8Array): Promise<void>
  /** Durable when it resolves. */
  sync(): Promise<void>
  /** Complete: visible under its name, durable. Without it, a file that appears whole never appears. */
  finish(): Promise<void>
}

/** Continues at `bytes`; the rest was never recorded and is truncated. */
export async function openGrowing(path: string, bytes: number): Promise<Sink> {
  return guarded(path, async () => {
    await mkdir(dirname(path), { recursive: true })
    const file = await open(path, bytes === 0 ? 'w+' : 'r+')
    await file.truncate(bytes)
    return fileSink(path, file, bytes, () => file.sync())
  })
}

/** Written to a temporary file and renamed at the end, so that no reader sees a partial file. */
export async function openWhole(path: string): Promise<Sink> {
  const draft = `${path}.unfinished`
  return guarded(path, async () => {
    await mkdir(dirname(path), { recursive: true })
    const file = await open(draft, 'w')
    let finished = false
    const sink = fileSink(path, file, 0, async () => {
      await file.sync()
      await rename(draft, path)
      await syncFolder(dirname(path))
      finished = true
    })
    const close = sink[Symbol.asyncDispose]
    sink[Symbol.asyncDispose] = async () => {
      await close.call(sink)
      if (!finished) await rm(draft, { force: true })
    }
    return sink
  })
}

/** Standard output, which cannot be rewound or synced. */
export function openStream(stream: Writable): Sink {
  // The write rejects on a closed pipe; the same error as an event would end the process.
  const ignore = () => {}
  stream.on('error', ignore)
  let bytes = 0
  return {
    get bytes() {
      return bytes
    },
    write: chunk =>
      guarded('-', async () => {
        await writeAll(stream, chunk)
        bytes += Buffer.byteLength(chunk)
      }),
    sync: async () => {},
    finish: async () => {},
    [Symbol.asyncDispose]: async () => {
      stream.off('error', ignore)
    },
  }
}

function fileSink(path: string, file: FileHandle, start: number, finish: () => Promise<void>): Sink {
  let bytes = start
  return {
    get bytes() {
      return bytes
    },
    write: chunk =>
      guarded(path, async () => {
        const buffer = typeof chunk === 'string' ? Buffer.from(chunk) : chunk
        for (let done = 0; done < buffer.length; ) {
          const { bytesWritten } = await file.write(buffer, done, buffer.length - done, bytes + done)
          done += bytesWritten
        }
        bytes += buffer.length
      }),
    sync: () => guarded(path, () => file.sync()),
    finish: () => guarded(path, finish),
    [Symbol.asyncDispose]: () => file.close(),
  }
}

function writeAll(stream: Writable, chunk: string | Uint8Array): Promise<void> {
  const { promise, resolve, reject } = Promise.withResolvers<void>()
  stream.write(chunk, error => (error ? reject(error) : resolve()))
  return promise
}

async function syncFolder(path: string): Promise<void> {
  const folder = await open(path, 'r')
  await folder.sync().finally(() => folder.close())
}

async function guarded<T>(path: string, work: () => Promise<T>): Promise<T> {
  try {
    return await work()
  } catch (error) {
    throw asStorageFailure(path, error)
  }
}

function asStorageFailure(path: string, error: unknown): unknown {
  const code = (error as NodeJS.ErrnoException).code
  if (error instanceof Failure || code === undefined) return error
  const full = code === 'ENOSPC' || code === 'EDQUOT'
  const what = full ? 'the disk is full: free some space and resume the job' : `${code}`
  const name = path === '-' ? 'standard output' : path
  const message = `cannot write ${name}: ${what}`
  return new Failure(full ? 'storage.full' : 'storage.failed', message, { path, code }, { cause: error })
}
