// The backup format: a tar archive. Its first entry is a note, then come the files of a data directory, then their checksums.
import { createHash } from 'node:crypto'
import { createReadStream } from 'node:fs'
import { open } from 'node:fs/promises'
import { pipeline } from 'node:stream'
import { createGunzip } from 'node:zlib'
import { asFileFailure } from '../../adapters/fs/failures.ts'
import { BrokenTar, type ReadEntry, readTar } from '../../lib/tar.ts'
import { unreadableFile } from '../../lib/text/text-file.ts'
import { Failure } from '../../model/failures.ts'

export const noteName = 'kscrape-backup.json'
/** The last entry, in the format of `sha256sum -c`. If it is missing, the backup is incomplete. */
export const checksumsName = 'checksums.sha256'
export const storeName = 'store.sqlite'
export const bundleVersion = 1

/** Files of the running process. They are neither backed up nor replaced. */
export const ofAProcess = ['lock', 'lock-journal', 'owner.json', 'owner.json.new']

/** Size limit of the backup's note and of its list of checksums. The checksums of millions of files fit. */
const mostTextBytes = 1_073_741_824

export interface BackupNote {
  format: 'kscrape-backup'
  version: number
  kscrape: string
  createdAt: string
  /** The original data directory. A restore to another directory changes the paths in the store that point to it. */
  dataDir: string
}

interface BundleFile {
  path: string
  bytes: number
}

interface ReadBundle {
  note: BackupNote
  files: BundleFile[]
}

/** Reads a backup to its end and passes each file to `take`. Throws if a checksum differs. So files are valid only after this
 *  function has resolved. */
export async function readBundle(
  file: string,
  take: (entry: ReadEntry) => Promise<void> = async () => {},
): Promise<ReadBundle> {
  const found = new Map<string, string>()
  const files: BundleFile[] = []
  let note: BackupNote | null = null
  let listed: Map<string, string> | null = null
  try {
    for await (const entry of readTar(await bytesOf(file))) {
      if (note === null) note = noteIn(entry.path, await textOf(entry), file)
      else if (entry.path === checksumsName) listed = checksumsIn(await textOf(entry))
      else {
        found.set(entry.path, await taken(entry, take))
        files.push({ path: entry.path, bytes: entry.bytes })
      }
    }
  } catch (error) {
    throw brokenOr(error, file)
  }
  if (note === null || listed === null) throw broken(file, 'the list of checksums is missing')
  compare(file, found, listed)
  return { note, files }
}

/** The bytes of the tar archive. The first bytes of the file show whether it is compressed. */
async function bytesOf(file: string): Promise<AsyncIterable<Uint8Array>> {
  const head = Buffer.alloc(2)
  await using handle = await open(file, 'r').catch(error => {
    throw unreadableFile(file, error)
  })
  await handle.read(head, 0, 2, 0)
  const stream = createReadStream(file, { highWaterMark: 1_048_576 })
  // Ignore errors in the callback: the reader of the stream gets them.
  return head.equals(Buffer.from([0x1f, 0x8b])) ? pipeline(stream, createGunzip(), () => {}) : stream
}

async function taken(entry: ReadEntry, take: (entry: ReadEntry) => Promise<void>): Promise<string> {
  const hash = createHash('sha256')
  const { content } = entry
  async function* counted() {
    for await (const piece of content) {
      hash.update(piece)
      yield piece
    }
  }
  const own = counted()
  await take({ ...entry, content: own })
  for await (const _ of own);
  return hash.digest('hex')
}

async function textOf({ path, bytes, content }: ReadEntry): Promise<string> {
  if (bytes > mostTextBytes) throw new BrokenTar(`the entry ${path} has ${bytes} bytes`)
  return Buffer.concat(await Array.fromAsync(content)).toString('utf8')
}

function noteIn(path: string, text: string, file: string): BackupNote {
  const note = path === noteName ? jsonIn(text) : {}
  if (note.format !== 'kscrape-backup')
    throw new Failure(
      'input.invalid',
      `${file} is not a backup of kscrape: it does not begin with ${noteName}`,
      {
        file,
      },
    )
  if (note.version !== bundleVersion)
    throw new Failure(
      'input.invalid',
      `${file} has backup format ${note.version}, but this kscrape reads format ${bundleVersion}; restore it with ${note.kscrape ? `kscrape ${note.kscrape}` : 'the version that wrote it'}`,
      { file },
    )
  return {
    ...{ format: 'kscrape-backup', version: bundleVersion, kscrape: String(note.kscrape) },
    ...{ createdAt: String(note.created_at), dataDir: String(note.data_dir) },
  }
}

function jsonIn(text: string): Record<string, unknown> {
  try {
    return Object(JSON.parse(text)) as Record<string, unknown>
  } catch (cause) {
    throw new BrokenTar(`the entry ${noteName} is not JSON`, { cause })
  }
}

export const noteText = ({ format, version, kscrape, createdAt, dataDir }: BackupNote): string =>
  `${JSON.stringify({ format, version, kscrape, created_at: createdAt, data_dir: dataDir }, null, 2)}\n`

export const checksumsText = (sums: ReadonlyMap<string, string>): string =>
  [...sums].map(([path, sum]) => `${sum}  ${path}\n`).join('')

const checksumsIn = (text: string): Map<string, string> =>
  new Map(
    text
      .split('\n')
      .filter(Boolean)
      .map(line => [line.slice(66), line.slice(0, 64)]),
  )

function compare(file: string, found: Map<string, string>, listed: Map<string, string>): void {
  for (const [path, sum] of listed) {
    if (!found.has(path)) throw broken(file, `the entry ${path} is missing`)
    if (found.get(path) !== sum) throw broken(file, `the entry ${path} does not match its checksum`)
  }
  for (const path of found.keys())
    if (!listed.has(path)) throw broken(file, `the entry ${path} has no checksum`)
  if (!found.has(storeName)) throw broken(file, `the entry ${storeName} is missing`)
}

const broken = (file: string, why: string, cause?: unknown): Failure =>
  new Failure(
    'input.invalid',
    `${file} is broken: ${why}; nothing was restored; use another backup`,
    { file },
    { cause },
  )

function brokenOr(error: unknown, file: string): unknown {
  if (error instanceof BrokenTar) return broken(file, error.message, error)
  const { code } = error as NodeJS.ErrnoException
  const isUnpacking = code?.startsWith('Z_') || code === 'ERR_STREAM_PREMATURE_CLOSE'
  if (isUnpacking) return broken(file, `it cannot be decompressed (${(error as Error).message})`, error)
  return asFileFailure(error, file)
}
