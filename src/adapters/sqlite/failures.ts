// Maps SQLite errors to failures, and wraps interfaces so that they reject with failures.
import { Failure, type FailureCode } from '../../model/failures.ts'

// Primary result codes, https://www.sqlite.org/rescode.html. The upper bits contain details.
const meanings: Record<number, FailureCode> = {
  5: 'store.busy',
  6: 'store.busy',
  8: 'storage.failed',
  10: 'storage.failed',
  11: 'storage.failed',
  13: 'storage.full',
  14: 'storage.failed',
  26: 'storage.failed',
}

const waysOut: Partial<Record<FailureCode, string>> = {
  'store.busy': 'another process writes to the store; try again',
  'storage.full': 'free some space on that disk and resume the job',
  'storage.failed': 'check that the file is readable, writable and on a healthy disk',
}

/** Returns a Failure for errors of the disk or of other processes. Other errors are bugs and are returned unchanged. */
export function asStoreFailure(error: unknown, path: string): unknown {
  if (!(error instanceof Error) || !('errcode' in error)) return error
  const code = meanings[Number(error.errcode) & 0xff]
  if (!code) return error
  const message = `The store ${path} could not be used (${error.message}): ${waysOut[code]}`
  return new Failure(code, message, { path, sqliteCode: error.errcode }, { cause: error })
}

type Method = (...args: unknown[]) => Promise<unknown>

/** Wraps an interface: its methods reject with a Failure instead of an SQLite error. */
export function withFailures<Face extends object>(face: Face, path: string): Face {
  const guarded = (method: Method): Method => {
    return async (...args) => {
      try {
        return await method(...args)
      } catch (error) {
        throw asStoreFailure(error, path)
      }
    }
  }
  const entries = Object.entries(face).map(([name, member]) => [
    name,
    typeof member === 'function' ? guarded(member as Method) : member,
  ])
  return { ...face, ...Object.fromEntries(entries) }
}

/** `withFailures` for each part of a store. */
export const withStoreFailures = <Parts extends object>(parts: Parts, path: string): Parts =>
  Object.fromEntries(Object.entries(parts).map(([name, part]) => [name, withFailures(part, path)])) as Parts
