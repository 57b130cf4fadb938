// The input file of a list job. Stdin is copied to a file, so that the input can be read again after a kill.
import { createWriteStream, mkdirSync } from 'node:fs'
import { open, stat } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import { pipeline } from 'node:stream/promises'
import { loadSettings } from '../../config/load.ts'
import { unreadableFile } from '../../lib/text/text-file.ts'
import { Failure } from '../../model/failures.ts'

export async function inputFile(file: string, dataDir: string | undefined): Promise<string> {
  if (file === '-') return spool(dataDir)
  if (/^https?:\/\//i.test(file))
    throw new Failure(
      'input.invalid',
      `run reads a file of URLs, and ${file} is a URL; use \`kscrape crawl ${file}\` to follow its links, or \`kscrape ${file}\` for this page`,
      { file },
    )
  try {
    if ((await stat(file)).isDirectory()) throw Object.assign(new Error('it is a folder'), { code: 'EISDIR' })
    await (await open(file, 'r')).close()
  } catch (cause) {
    throw unreadableFile(file, cause)
  }
  return resolve(file)
}

/** Copies stdin to a file, so that the job can be resumed. The file is stored until the job is deleted. It has no extension,
 *  because its content shows the format. */
async function spool(dataDir: string | undefined): Promise<string> {
  const { settings } = await loadSettings(dataDir ? { dataDir } : {})
  const folder = join(resolve(settings.dataDir), 'inputs')
  mkdirSync(folder, { recursive: true, mode: 0o700 })
  const path = join(folder, `stdin-${Date.now()}-${process.pid}`)
  await pipeline(process.stdin, createWriteStream(path))
  return path
}
