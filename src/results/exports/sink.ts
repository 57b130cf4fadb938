// Targets of an export: a growing file, a file that appears when it is complete, or a stream.
import { type FileHandle, mkdir, open, rename, rm } from 'node:fs/promises'
import { dirname } from 'node:path'
import type { Writable } from 'node:stream'
import { Failure } from '../../model/failures.ts'

export interface Sink extends AsyncDisposable {
  /** Total size in bytes. */
  readonly bytes: number
  write(bytes: string | Uint8Array): Promise<void>
  /** The data is durable when the promise resolves. */
  sync(): Promise<void>
  /** Completes the file: it is durable and visible under its name. A file from `openWhole` never appears without this
   *  call. */
  finish(): Promise<void>
}

/** Opens a file and continues it at offset `bytes`. Data after this offset is truncated, because it was never recorded. */
export async function openGrowing(path: string, bytes: number): Promise<Sink> {
  return guarded(path, async () => {
    await mkdir(dirname(path), { recursive: true })
    const file = await open(path, bytes === 0 ? 'w+' : 'r+')
    await file.truncate(bytes)
    return fileSink(path, file, bytes, () => file.sync())
  })
}

/** Writes a temporary file and renames it at the end, so that no reader sees a partial file. */
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

/** Standard output, which can be neither rewound nor synced. */
export function openStream(stream: Writable): Sink {
  // On a closed pipe the write rejects. Without a listener, the error event would end the process.
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
