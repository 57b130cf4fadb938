// The file of a list job: a path that can be read again after a kill, also for what came over stdin.
import { createWriteStream, mkdirSync } from 'node:fs'
import { access, constants } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import { pipeline } from 'node:stream/promises'
import { loadSettings } from '../config/load.ts'
import { Failure } from '../model/failures.ts'

export async function inputFile(file: string, dataDir: string | undefined): Promise<string> {
  if (file === '-') return spool(dataDir)
  try {
    await access(file, constants.R_OK)
  } catch (cause) {
    throw new Failure(
      'input.invalid',
      `${file} can't be read: ${(cause as Error).message}`,
      { file },
      { cause },
    )
  }
  return resolve(file)
}

/** Kept until the job is deleted, so that a resume has something to read. */
async function spool(dataDir: string | undefined): Promise<string> {
  const { settings } = await loadSettings(dataDir ? { dataDir } : {})
  const folder = join(resolve(settings.dataDir), 'inputs')
  mkdirSync(folder, { recursive: true })
  const path = join(folder, `stdin-${Date.now()}-${process.pid}.txt`)
  await pipeline(process.stdin, createWriteStream(path))
  return path
}
