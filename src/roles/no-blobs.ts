// The blob store of a process that stores nothing. Any use of it is a bug.
import { Failure } from '../model/failures.ts'
import type { Blobs } from '../ports/blobs.ts'

const refuse = (): never => {
  throw new Failure('internal.bug', 'this process has no blob store')
}

export const noBlobs: Blobs = {
  ...{ put: refuse, append: refuse, putStream: refuse, overwrite: refuse, get: refuse, openRead: refuse },
  ...{ size: refuse, read: refuse, list: refuse, delete: refuse, signedPut: refuse, signedGet: refuse },
  ...{ deleteBelow: refuse, move: refuse, free: refuse },
  async [Symbol.asyncDispose]() {},
}
