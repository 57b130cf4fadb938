// Content encodings: valid ones, broken ones, and decompression bombs.
import type { Readable, Transform } from 'node:stream'
import * as zlib from 'node:zlib'
import { numberIn, type Reply, type TakeOver, type Visit } from '../route.ts'
import { type Misbehaviour, raw } from './misbehaviour.ts'

const hello = Buffer.from(
  `<!DOCTYPE html><title>Packed</title><h1>Packed</h1><p>${'Well packed is half shipped. '.repeat(40)}</p>`,
)
const half = (bytes: Buffer) => bytes.subarray(0, Math.floor(bytes.length / 2))

function fixed(): [name: string, contentEncoding: string, body: Buffer, says: string][] {
  const gzipped = zlib.gzipSync(hello)
  const brotlied = zlib.brotliCompressSync(hello)
  const zstandarded = zlib.zstdCompressSync(hello)
  return [
    ['gzip', 'gzip', gzipped, 'Correct gzip, even if the client did not accept gzip.'],
    ['x-gzip', 'x-gzip', gzipped, 'Correct gzip under its old name x-gzip.'],
    ['br', 'br', brotlied, 'Honest Brotli.'],
    ['zstd', 'zstd', zstandarded, 'Honest Zstandard.'],
    ['deflate', 'deflate', zlib.deflateSync(hello), 'Deflate with its zlib wrapper, as the standard says.'],
    [
      'deflate-raw',
      'deflate',
      zlib.deflateRawSync(hello),
      'Deflate without the wrapper, as some servers do.',
    ],
    ['identity', 'identity', hello, 'Content-Encoding: identity.'],
    [
      'gzip-truncated',
      'gzip',
      half(gzipped),
      'The first half of a gzip stream, with a Content-Length of this half.',
    ],
    ['br-truncated', 'br', half(brotlied), 'The first half of a Brotli stream.'],
    ['zstd-truncated', 'zstd', half(zstandarded), 'The first half of a Zstandard frame.'],
    ['gzip-corrupt', 'gzip', corrupted(gzipped), 'Gzip with a wrong checksum.'],
    [
      'gzip-two-members',
      'gzip',
      Buffer.concat([gzipped, gzipped]),
      'Two gzip members in a row, which is allowed.',
    ],
    [
      'gzip-and-garbage',
      'gzip',
      Buffer.concat([gzipped, Buffer.from('garbage')]),
      'Gzip with garbage after its end.',
    ],
    ['gzip-empty', 'gzip', Buffer.alloc(0), 'Content-Encoding says gzip, but the body is empty.'],
    ['lying', 'gzip', hello, 'Content-Encoding says gzip, but the body is not compressed.'],
    ['unknown', 'lzma', hello, 'An unknown encoding.'],
    ['double', 'gzip, br', zlib.brotliCompressSync(gzipped), 'Gzip within Brotli.'],
  ]
}

/** Each bomb is built once per site and size, because compressing a hundred megabytes takes a moment. */
export function encodings(): Misbehaviour[] {
  const bombs = new Map<string, Promise<Buffer>>()

  function bomb(encoding: string, pack: () => Transform) {
    return async (visit: Visit): Promise<Reply> => {
      const megabytes = numberIn(visit, 'mb', 100, 1_000)
      const key = `${encoding} ${megabytes}`
      const body = bombs.get(key) ?? packBlanks(megabytes, pack())
      bombs.set(key, body)
      return packed(encoding, await body)
    }
  }
  return [
    ...fixed().map(([name, encoding, body, says]) => ({
      path: `/encoding/${name}`,
      says,
      answer: () => packed(encoding, body),
    })),
    {
      path: '/encoding/double-in-two-headers',
      says: 'Gzip inside gzip, declared in two headers.',
      answer: twoHeaders,
    },
    {
      path: '/encoding/stacked',
      says: 'Compressed with gzip many times. ?times= sets how often (default 60).',
      answer: stacked,
    },
    {
      path: '/encoding/gzip-bomb',
      says: 'A gzip bomb. ?mb= sets its size after decompression in megabytes (default 100).',
      answer: bomb('gzip', () => zlib.createGzip()),
    },
    {
      path: '/encoding/br-bomb',
      says: 'A Brotli bomb of a few hundred bytes. ?mb= sets its size after decompression in megabytes (default 100).',
      answer: bomb('br', quickBrotli),
    },
    {
      path: '/encoding/zstd-bomb',
      says: 'A Zstandard bomb. ?mb= sets its size after decompression in megabytes (default 100).',
      answer: bomb('zstd', () => zlib.createZstdCompress()),
    },
  ]
}

function packed(contentEncoding: string, body: Buffer): Reply {
  return {
    headers: { 'content-type': 'text/html; charset=utf-8', 'content-encoding': contentEncoding },
    body,
  }
}

function twoHeaders(): TakeOver {
  const body = zlib.gzipSync(zlib.gzipSync(hello))
  const encodings = ['content-encoding: gzip', 'content-encoding: gzip']
  return raw(
    [
      'HTTP/1.1 200 OK',
      'content-type: text/html',
      ...encodings,
      `content-length: ${body.length}`,
      'connection: close',
    ],
    body,
  )
}

function stacked(visit: Visit): Reply {
  const times = numberIn(visit, 'times', 60, 200)
  let body = hello
  for (let layer = 0; layer < times; layer++) body = zlib.gzipSync(body)
  return packed(Array.from({ length: times }, () => 'gzip').join(', '), body)
}

function corrupted(bytes: Buffer): Buffer {
  const copy = Buffer.from(bytes)
  copy.writeUInt32LE(~copy.readUInt32LE(copy.length - 8) >>> 0, copy.length - 8)
  return copy
}

function quickBrotli(): Transform {
  return zlib.createBrotliCompress({ params: { [zlib.constants.BROTLI_PARAM_QUALITY]: 5 } })
}

async function packBlanks(megabytes: number, packer: Transform): Promise<Buffer> {
  const blanks = Buffer.alloc(1_000_000, ' ')
  const chunks: Buffer[] = []
  const gathered = (async (output: Readable) => {
    for await (const chunk of output) chunks.push(chunk)
  })(packer)
  for (let count = 0; count < megabytes; count++) {
    await new Promise<void>(resolve => packer.write(blanks, () => resolve()))
  }
  packer.end()
  await gathered
  return Buffer.concat(chunks)
}
