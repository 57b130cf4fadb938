// Reads compressed WARC records. Each is returned with its position.
import { unpackAt } from './unpack.ts'
import { blockAt, type WarcBlock } from './warc-reader.ts'

export interface WarcMember extends WarcBlock {
  /** Offset in the given bytes. */
  offset: number
  length: number
}

/** `mostBytes` limits the decompressed size of a record. */
export function* warcMembers(bytes: Buffer, mostBytes?: number): Generator<WarcMember> {
  for (let offset = 0; offset < bytes.length; ) {
    const { content, length } = unpackAt(bytes, offset, mostBytes)
    yield { ...blockAt(content, 0), offset, length }
    offset += length
  }
}
