// Reads compressed WARC records. Each is one gzip member, returned with its position.
import { inflateRawSync } from 'node:zlib'
import { Failure } from '../model/failures.ts'
import { blockAt, type WarcBlock } from './warc-reader.ts'

export interface WarcMember extends WarcBlock {
  /** Offset in the given bytes. */
  offset: number
  length: number
}

/** Our gzip members have a header of ten bytes without extra fields, and eight trailing bytes. */
const headBytes = 10
const tailBytes = 8

export function* warcMembers(bytes: Buffer): Generator<WarcMember> {
  for (let offset = 0; offset < bytes.length; ) {
    if (bytes.readUInt16BE(offset) !== 0x1f8b || bytes[offset + 3] !== 0)
      throw new Failure('storage.failed', `a raw page is damaged: no gzip member begins at ${offset}`)
    const { buffer, engine } = inflateRawSync(bytes.subarray(offset + headBytes), {
      info: true,
    }) as unknown as {
      buffer: Buffer
      engine: { bytesWritten: number }
    }
    const length = headBytes + engine.bytesWritten + tailBytes
    yield { ...blockAt(buffer, 0), offset, length }
    offset += length
  }
}
