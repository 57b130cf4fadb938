// Opens the output files of a job before the job is accepted, so that an unwritable path is reported at once.
import { existsSync, mkdirSync, rmSync } from 'node:fs'
import { open } from 'node:fs/promises'
import { dirname } from 'node:path'
import { Failure } from '../model/failures.ts'
import type { Output } from '../model/job.ts'

export async function checkOutputs(outputs: readonly Output[]): Promise<void> {
  for (const [index, { path }] of outputs.entries()) {
    if (outputs.findIndex(other => other.path === path) < index)
      throw new Failure('input.invalid', `output ${path} is named twice; two formats can't share one file`, {
        path,
      })
    if (path !== '-') await tryToWrite(path)
  }
}

/** Opens the file for writing. An existing file stays unchanged. Missing folders are created, as the job would do. */
async function tryToWrite(path: string): Promise<void> {
  const isThere = existsSync(path)
  try {
    mkdirSync(dirname(path), { recursive: true })
    await (await open(path, 'a')).close()
    if (!isThere) rmSync(path)
  } catch (cause) {
    throw new Failure(
      'input.invalid',
      `output ${path} can't be written: ${reasonOf(cause)}`,
      { path },
      { cause },
    )
  }
}

const reasons: Record<string, string> = {
  EACCES: 'this user may not write there',
  EPERM: 'this user may not write there',
  EROFS: 'it is on a read-only disk',
  EISDIR: 'it is a folder; name a file in it',
  ENOTDIR: 'a part of its path is a file, not a folder',
  EEXIST: 'a part of its path is a file, not a folder',
  ENOENT: 'no file can be created there',
  ENOSPC: 'the disk is full',
}

function reasonOf(error: unknown): string {
  const { code, message } = error as NodeJS.ErrnoException
  return reasons[code ?? ''] ?? message
}
