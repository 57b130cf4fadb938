// Reads compressed WARC records. Each is returned with its position.
import { unpackAt } from './unpack.ts'
import { blockAt, type WarcBlock } from './warc-reader.ts'

export interface WarcMember extends WarcBlock {
  /** Offset in the given bytes. */
  offset: number
  length: number
}

export function* warcMembers(bytes: Buffer): Generator<WarcMember> {
  for (let offset = 0; offset < bytes.length; ) {
    const { content, length } = unpackAt(bytes, offset)
    yield { ...blockAt(content, 0), offset, length }
    offset += length
  }
}
