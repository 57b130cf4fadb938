// Detects the encoding of a file: by its byte order mark, its zero bytes, or the most likely charset.
import { isAscii } from 'node:buffer'

/** Size of the sample for the detection. ASCII needs none. */
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

/** Null if it is all ASCII. */
function charsetOf(sample: Buffer, isStart: boolean): Charset | null {
  return (isStart ? markOf(sample) : null) ?? (isAscii(sample) ? null : eightBitCharset(sample))
}

function markOf(head: Buffer): Charset | null {
  if (head[0] === 0xff && head[1] === 0xfe) return 'utf-16le'
  if (head[0] === 0xfe && head[1] === 0xff) return 'utf-16be'
  return head.includes(0) ? zerosSay(head) : null
}

/** Two bytes each, without a mark: in URLs and column names every other one is zero. */
function zerosSay(head: Buffer): Charset | null {
  const zeros = [0, 0]
  for (let at = 0; at < head.length; at += 1) if (head[at] === 0) zeros[at % 2]! += 1
  const many = head.length / 4
  if (zeros[1]! > many && zeros[0]! < many / 8) return 'utf-16le'
  return zeros[0]! > many && zeros[1]! < many / 8 ? 'utf-16be' : null
}

/** One broken character in a UTF-8 file does not make it Latin. */
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

/** Length of a character that starts with this byte; 0 if none does. */
function followingBytes(first: number): number {
  if (first >= 0xf0) return first < 0xf5 ? 3 : 0
  if (first >= 0xe0) return 2
  return first >= 0xc2 ? 1 : 0
}

function areContinuing(bytes: Buffer, from: number, count: number): boolean {
  for (let at = from; at < from + count; at += 1) if ((bytes[at]! & 0xc0) !== 0x80) return false
  return true
}
