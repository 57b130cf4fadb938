// Overwrites raw pages of a host in place. Hosts share segments, and all other pages must keep their offsets.
import { setImmediate as letOthersRun } from 'node:timers/promises'
import { crc32 } from 'node:zlib'
import { Failure } from '../model/failures.ts'
import type { Blobs } from '../ports/blobs.ts'
import { isZstdKey } from './keys.ts'
import { newRecordId } from './warc.ts'
import { isPage } from './warc-exchanges.ts'
import { type WarcMember, warcMembers } from './warc-members.ts'
import { pageFactsOf } from './warc-reader.ts'
import { plainFrame } from './zstd-frames.ts'

interface ErasedPages {
  pages: number
  bytes: number
  /** Offset at which the unreadable part starts. Null if everything was readable. */
  unreadableFrom: number | null
}

/** Number of records that are processed before other work may run. */
const atOnce = 50

/** Erases every record of the host in one segment. With `dryRun`, only counts the records and bytes. */
export async function erasePages(
  blobs: Blobs,
  key: string,
  fits: (host: string) => boolean,
  { dryRun = false, now = Date.now() } = {},
): Promise<ErasedPages> {
  const bytes = await blobs.get(key)
  if (bytes === null) return { pages: 0, bytes: 0, unreadableFrom: null }
  const { members, unreadableFrom } = await membersIn(bytes, member => isOf(member, fits))
  const ranges = joined(members)
  const erased = isZstdKey(key) ? erasedFrame : erasedMember
  const pieces = ranges.map(({ offset, length }) => ({ offset, bytes: erased(length, now) }))
  if (pieces.length > 0 && !dryRun) await blobs.overwrite(key, pieces)
  return {
    pages: members.filter(isPage).length,
    bytes: ranges.reduce((sum, { length }) => sum + length, 0),
    unreadableFrom,
  }
}

type Found = Pick<WarcMember, 'offset' | 'length' | 'headers'>

async function membersIn(bytes: Buffer, isWanted: (member: WarcMember) => boolean) {
  const members: Found[] = []
  let seen = 0
  let end = 0
  try {
    for (const member of warcMembers(bytes)) {
      const { offset, length, headers } = member
      if (isWanted(member)) members.push({ offset, length, headers })
      end = offset + length
      if (++seen % atOnce === 0) await letOthersRun()
    }
    return { members, unreadableFrom: null }
  } catch (error) {
    // The rest of the segment was left by a killed writer. No attempt refers to it.
    if (error instanceof Failure) return { members, unreadableFrom: end }
    throw error
  }
}

/** Checks both the final and the requested URL, because a redirect may lead from one host to another. */
function isOf(member: WarcMember, fits: (host: string) => boolean): boolean {
  const { url, final_url: finalUrl } = pageFactsOf(member)
  const target = member.headers.get('WARC-Target-URI')?.replace(/^urn:[a-z]+:/, '')
  return [target, url, finalUrl].some(each => {
    const host = URL.parse(each ?? '')?.host
    return host !== undefined && fits(host)
  })
}

/** Merges adjacent members into ranges, so that fewer writes are needed. */
function joined(members: readonly Found[]): Array<{ offset: number; length: number }> {
  const ranges: Array<{ offset: number; length: number }> = []
  for (const { offset, length } of members) {
    const last = ranges.at(-1)
    if (last && last.offset + last.length === offset) last.length += length
    else ranges.push({ offset, length })
  }
  return ranges
}

const headBytes = 10
const tailBytes = 8
const blockHeadBytes = 5
const mostInBlock = 65_535

/** A placeholder record of exactly this many bytes, as one zstd frame without compression. */
export const erasedFrame = (length: number, now: number): Buffer =>
  plainFrame(length, bytes => recordText(bytes, now))

/** A placeholder record of exactly this many bytes, as one gzip member without compression. */
export function erasedMember(length: number, now: number): Buffer {
  const blocks = Math.ceil((length - headBytes - tailBytes) / (mostInBlock + blockHeadBytes))
  const text = recordText(length - headBytes - tailBytes - blocks * blockHeadBytes, now)
  const stored = Array.from({ length: blocks }, (_, index) =>
    storedBlock(text.subarray(index * mostInBlock, (index + 1) * mostInBlock), index === blocks - 1),
  )
  const tail = Buffer.alloc(tailBytes)
  tail.writeUInt32LE(crc32(text), 0)
  tail.writeUInt32LE(text.length, 4)
  return Buffer.concat([Buffer.from([0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 255]), ...stored, tail])
}

function storedBlock(bytes: Buffer, isLast: boolean): Buffer {
  const head = Buffer.alloc(blockHeadBytes)
  head[0] = isLast ? 1 : 0
  head.writeUInt16LE(bytes.length, 1)
  head.writeUInt16LE(~bytes.length & 0xffff, 3)
  return Buffer.concat([head, bytes])
}

/** Text of the placeholder record. Content-Length has a fixed width, so that the length of the record is known in
 *  advance. */
function recordText(bytes: number, now: number): Buffer {
  const head = (length: number) =>
    `WARC/1.1\r\nWARC-Type: metadata\r\nWARC-Record-ID: ${newRecordId()}\r\n` +
    `WARC-Date: ${new Date(now).toISOString()}\r\nContent-Length: ${String(length).padStart(9, '0')}\r\n\r\n`
  const room = bytes - head(0).length - recordEnd.length
  // There is no room for a record. Readers skip blanks.
  if (room < 0) return Buffer.alloc(bytes, ' ')
  return Buffer.from(`${head(room)}${'erased'.slice(0, room).padEnd(room)}${recordEnd}`)
}

const recordEnd = '\r\n\r\n'
