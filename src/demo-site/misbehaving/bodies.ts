// Bodies that are late, slow, endless, too long, too short or incomplete.
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { numberIn, type TakeOver, type Visit } from '../route.ts'
import { bare, type Misbehaviour, pause, raw } from './misbehaviour.ts'

const okHead = ['HTTP/1.1 200 OK', 'content-type: text/html; charset=utf-8', 'connection: close']
const hello = '<!DOCTYPE html><title>Hello</title><h1>Hello</h1>'
const htmlType = { 'content-type': 'text/html; charset=utf-8' }
const megabyte = 1_000_000

export const bodies: Misbehaviour[] = [
  {
    path: '/slow/headers',
    says: 'Nothing at first, then a page. ?ms= sets the delay in milliseconds (default 2000).',
    answer: slowHeaders,
  },
  {
    path: '/slow/body',
    says: 'The headers at once, the body later. ?ms= sets the delay in milliseconds (default 2000).',
    answer: slowBody,
  },
  {
    path: '/slow/drip',
    says: 'A body that arrives byte by byte. ?bytes= sets its size (default 200), ?ms= the delay between two bytes (default 50).',
    answer: drip,
  },
  { path: '/slow/never', says: 'Accepts the request and never responds.', answer: () => () => {} },
  {
    path: '/slow/never-ends',
    says: 'The start of a body, then nothing; the connection stays open.',
    answer: () => response => void response.writeHead(200, htmlType).write(hello),
  },
  {
    path: '/endless',
    says: 'An endless page, sent as fast as the client reads it.',
    answer: () => stream(Number.POSITIVE_INFINITY),
  },
  {
    path: '/huge',
    says: 'A large page. ?mb= sets its size in megabytes (default 25).',
    answer: visit => stream(numberIn(visit, 'mb', 25) * megabyte),
  },
  {
    path: '/huge/announced',
    says: 'Content-Length announces 5 GB, but the body is short.',
    answer: () => raw([...okHead, 'content-length: 5000000000'], hello),
  },
  {
    path: '/reset/before-headers',
    says: 'Resets the connection instead of responding.',
    answer: () => response => void response.socket?.resetAndDestroy(),
  },
  {
    path: '/reset/mid-headers',
    says: 'Closes the connection in the middle of the headers.',
    answer: () => response => void response.socket?.end('HTTP/1.1 200 OK\r\ncontent-ty'),
  },
  {
    path: '/reset/mid-body',
    says: 'Resets the connection in the middle of the body.',
    answer: () => raw([...okHead, 'content-length: 1000'], hello, 'reset'),
  },
  {
    path: '/length/too-short-a-body',
    says: 'Content-Length announces 1000 bytes, but the body is shorter.',
    answer: () => raw([...okHead, 'content-length: 1000'], hello),
  },
  {
    path: '/length/too-long-a-body',
    says: 'Content-Length announces 10 bytes, but the body is longer.',
    answer: () => raw([...okHead, 'content-length: 10'], hello),
  },
  {
    path: '/length/two-lengths',
    says: 'Two Content-Length headers with different values.',
    answer: () => raw([...okHead, 'content-length: 10', 'content-length: 20'], hello),
  },
  {
    path: '/length/negative',
    says: 'Content-Length: -1.',
    answer: () => raw([...okHead, 'content-length: -1'], hello),
  },
  {
    path: '/length/none',
    says: 'No Content-Length; the body ends when the connection closes.',
    answer: () => raw(okHead, hello),
  },
  {
    path: '/length/http-1.0',
    says: 'A response in HTTP/1.0.',
    answer: () => raw(['HTTP/1.0 200 OK', 'content-type: text/html'], hello),
  },
  {
    path: '/chunks/cut',
    says: 'A chunked body without its last chunk.',
    answer: () => raw([...okHead, 'transfer-encoding: chunked'], `31\r\n${hello}\r\n`),
  },
  {
    path: '/chunks/bad-size',
    says: 'A chunked body with an invalid chunk size.',
    answer: () => raw([...okHead, 'transfer-encoding: chunked'], `zz\r\n${hello}\r\n0\r\n\r\n`),
  },
  {
    path: '/headers/huge',
    says: 'A large header. ?kb= sets its size in kilobytes (default 200).',
    answer: hugeHeader,
  },
  {
    path: '/headers/garbage',
    says: 'An invalid header line.',
    answer: () => raw([...okHead, 'this line has no colon'], hello),
  },
  { path: '/empty', says: 'Status 200 with an empty body.', answer: () => ({ headers: htmlType, body: '' }) },
]

function slowHeaders(visit: Visit): TakeOver {
  return async (response, gone) => {
    await pause(numberIn(visit, 'ms', 2_000), gone)
    response.writeHead(200, htmlType).end(hello)
  }
}

function slowBody(visit: Visit): TakeOver {
  return async (response, gone) => {
    response.writeHead(200, htmlType).flushHeaders()
    await pause(numberIn(visit, 'ms', 2_000), gone)
    response.end(hello)
  }
}

function drip(visit: Visit): TakeOver {
  const text = hello.padEnd(numberIn(visit, 'bytes', 200, megabyte), '.')
  return async (response, gone) => {
    response.writeHead(200, { ...htmlType, 'content-length': text.length }).flushHeaders()
    for (const character of text) {
      await pause(numberIn(visit, 'ms', 50), gone)
      response.write(character)
    }
    response.end()
  }
}

function stream(totalBytes: number): TakeOver {
  return async response => {
    response.writeHead(200, htmlType)
    await pipeline(Readable.from(paragraphs(totalBytes)), response)
  }
}

function* paragraphs(totalBytes: number): Generator<Buffer> {
  const block = Buffer.from('<p>More and more of the same, without a link in it.</p>\n'.repeat(1_000))
  yield Buffer.from(hello)
  for (let left = totalBytes - hello.length; left > 0; left -= block.length)
    yield block.subarray(0, Math.min(left, block.length))
}

function hugeHeader(visit: Visit) {
  const value = 'x'.repeat(numberIn(visit, 'kb', 200, 10_000) * 1_000)
  const reply = bare('Big hat')
  return { ...reply, headers: { ...reply.headers, 'x-big': value } }
}
