// The file of a list job: a path that can be read again after a kill, also for what came over stdin.
import { createWriteStream, mkdirSync } from 'node:fs'
import { open, rename, stat } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import { pipeline } from 'node:stream/promises'
import { loadSettings } from '../config/load.ts'
import { Failure } from '../model/failures.ts'

export async function inputFile(file: string, dataDir: string | undefined): Promise<string> {
  if (file === '-') return spool(dataDir)
  try {
    if ((await stat(file)).isDirectory()) throw new Error('it is a folder')
    await (await open(file, 'r')).close()
  } catch (cause) {
    throw new Failure('input.invalid', `${file} can't be read: ${reasonOf(cause)}`, { file }, { cause })
  }
  return resolve(file)
}

const reasons: Record<string, string> = {
  ENOENT: 'there is no such file',
  EACCES: 'this user may not read it',
}

function reasonOf(error: unknown): string {
  const { code, message } = error as NodeJS.ErrnoException
  return reasons[code ?? ''] ?? message
}

/** Kept until the job is deleted, so that a resume has something to read. */
async function spool(dataDir: string | undefined): Promise<string> {
  const { settings } = await loadSettings(dataDir ? { dataDir } : {})
  const folder = join(resolve(settings.dataDir), 'inputs')
  mkdirSync(folder, { recursive: true, mode: 0o700 })
  const path = join(folder, `stdin-${Date.now()}-${process.pid}`)
  await pipeline(process.stdin, createWriteStream(path))
  const named = path + endingOf(await firstBytes(path))
  await rename(path, named)
  return named
}

async function firstBytes(path: string): Promise<Buffer> {
  await using file = await open(path, 'r')
  const { buffer, bytesRead } = await file.read(Buffer.alloc(4_096), 0, 4_096, 0)
  return buffer.subarray(0, bytesRead)
}

/** stdin has no name that tells its format, so its first line does: an array, objects, a head with columns, or URLs. */
export function endingOf(bytes: Buffer): string {
  if (bytes[0] === 0x1f && bytes[1] === 0x8b) return '.txt.gz'
  const text = bytes
    .toString('utf8')
    .replace(/^\uFEFF/, '')
    .trimStart()
  if (text.startsWith('[')) return '.json'
  if (text.startsWith('{')) return '.jsonl'
  const [first = ''] = text.split('\n')
  if (/^["']?https?:\/\//i.test(first) || first.startsWith('#')) return '.txt'
  if (first.includes('\t')) return '.tsv'
  return first.includes(',') || /^(url|link|href|uri|website|page|address)\s*$/i.test(first) ? '.csv' : '.txt'
}
