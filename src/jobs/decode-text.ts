// Detects the encoding of a file: by its byte order mark, its zero bytes, or the most likely charset.
import { isAscii } from 'node:buffer'

/** Size of the sample for the detection. Text before the first non-ASCII byte needs no detection. */
const sampleBytes = 65_536

type Charset = 'utf-8' | 'utf-16le' | 'utf-16be' | 'windows-1252'

export async function* decodedText(chunks: AsyncIterable<Buffer>): AsyncGenerator<string> {
  let decoder: InstanceType<typeof TextDecoder> | null = null
  let waiting: Buffer = Buffer.alloc(0)
  let isStart = true
  for await (const chunk of chunks) {
    if (decoder) {
      yield decoder.decode(chunk, { stream: true })
      continue
    }
    waiting = waiting.length === 0 ? chunk : Buffer.concat([waiting, chunk])
    if (waiting.length < sampleBytes) continue
    const charset = charsetOf(waiting, isStart)
    decoder = charset === null ? null : new TextDecoder(charset)
    yield decoder ? decoder.decode(waiting, { stream: true }) : waiting.toString('latin1')
    waiting = Buffer.alloc(0)
    isStart = false
  }
  decoder ??= new TextDecoder(charsetOf(waiting, isStart) ?? 'utf-8')
  yield decoder.decode(waiting)
}

/** The charset of a sample. Null if the sample is ASCII, so that the charset is still unknown. */
function charsetOf(sample: Buffer, isStart: boolean): Charset | null {
  return (isStart ? markOf(sample) : null) ?? (isAscii(sample) ? null : eightBitCharset(sample))
}

function markOf(head: Buffer): Charset | null {
  if (head[0] === 0xff && head[1] === 0xfe) return 'utf-16le'
  if (head[0] === 0xfe && head[1] === 0xff) return 'utf-16be'
  return head.includes(0) ? zerosSay(head) : null
}

/** Detects UTF-16 without a byte order mark. In URLs and column names, every second byte is then zero. */
function zerosSay(head: Buffer): Charset | null {
  const zeros = [0, 0]
  for (let at = 0; at < head.length; at += 1) if (head[at] === 0) zeros[at % 2]! += 1
  const many = head.length / 4
  if (zeros[1]! > many && zeros[0]! < many / 8) return 'utf-16le'
  return zeros[0]! > many && zeros[1]! < many / 8 ? 'utf-16be' : null
}

/** Decides between UTF-8 and Windows-1252 by the number of valid and invalid sequences. A few invalid sequences are
 *  ignored. */
function eightBitCharset(sample: Buffer): Charset {
  let valid = 0
  let invalid = 0
  for (let at = 0; at < sample.length; at += 1) {
    if (sample[at]! < 0x80) continue
    const following = followingBytes(sample[at]!)
    if (at + following >= sample.length) break
    if (following > 0 && areContinuing(sample, at + 1, following)) {
      valid += 1
      at += following
    } else invalid += 1
  }
  return invalid > valid ? 'windows-1252' : 'utf-8'
}

/** How many bytes follow this first byte of a UTF-8 character; 0 if no character starts with it. */
function followingBytes(first: number): number {
  if (first >= 0xf0) return first < 0xf5 ? 3 : 0
  if (first >= 0xe0) return 2
  return first >= 0xc2 ? 1 : 0
}

function areContinuing(bytes: Buffer, from: number, count: number): boolean {
  for (let at = from; at < from + count; at += 1) if ((bytes[at]! & 0xc0) !== 0x80) return false
  return true
}
