// Maps file system errors to failures.
import { Failure } from '../../model/failures.ts'

const isSystemError = (error: unknown): error is NodeJS.ErrnoException =>
  error instanceof Error && 'code' in error && 'syscall' in error

export const isMissing = (error: unknown): boolean => isSystemError(error) && error.code === 'ENOENT'

const waysOut: Record<string, string> = {
  ENOSPC: 'free some space on that disk',
  EDQUOT: 'the quota is used up; free some space',
  EACCES: 'give this user the right to read and write there',
  EPERM: 'give this user the right to read and write there',
  EROFS: 'it is mounted read-only',
  EMFILE: 'too many files are open; raise `ulimit -n`',
  ENFILE: 'the whole machine has too many files open',
}

/** Returns a Failure that names the path. Other errors are bugs and are returned unchanged. */
export function asFileFailure(error: unknown, path: string): unknown {
  if (!isSystemError(error)) return error
  const code = error.code ?? ''
  const full = code === 'ENOSPC' || code === 'EDQUOT'
  const wayOut = waysOut[code] ?? 'check the disk'
  const message = `${path} could not be used (${error.message}): ${wayOut}`
  return new Failure(full ? 'storage.full' : 'storage.failed', message, { path, code }, { cause: error })
}

/** Runs `work` on a path and converts its errors to failures. */
export async function onFile<Result>(path: string, work: () => Promise<Result>): Promise<Result> {
  try {
    return await work()
  } catch (error) {
    throw asFileFailure(error, path)
  }
}
