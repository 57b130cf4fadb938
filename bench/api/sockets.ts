// The load generator for machines without wrk: one request at a time on each of several sockets.
import { connect } from 'node:net'
import type { Answered, Load } from './load.ts'

const { url, connections, seconds, headers, body = '' } = JSON.parse(process.argv[2]!) as Load
const { hostname, port, pathname, search } = new URL(url)
const request = [
  `${body ? 'POST' : 'GET'} ${pathname}${search} HTTP/1.1`,
  `host: ${hostname}:${port}`,
  ...Object.entries(headers).map(([name, value]) => `${name}: ${value}`),
  ...(body ? [`content-length: ${Buffer.byteLength(body)}`] : []),
  '',
  body,
].join('\r\n')

const until = performance.now() + seconds * 1_000
const tookMs: number[] = []
let refused = 0

await Promise.all(Array.from({ length: connections }, sendUntilTheEnd))

const sorted = tookMs.sort((a, b) => a - b)
const answered: Answered = {
  perSecond: tookMs.length / seconds,
  p99Ms: sorted[Math.floor(sorted.length * 0.99)] ?? 0,
  refused,
}
console.log(JSON.stringify(answered))

function sendUntilTheEnd(): Promise<void> {
  const { promise, resolve, reject } = Promise.withResolvers<void>()
  const socket = connect(Number(port), hostname)
  let sentAt = 0
  let received = ''
  const send = () => {
    sentAt = performance.now()
    received = ''
    socket.write(request)
  }
  socket.setEncoding('latin1').on('data', chunk => {
    received += chunk
    if (!isWhole(received)) return
    tookMs.push(performance.now() - sentAt)
    if (!received.startsWith('HTTP/1.1 2')) refused += 1
    if (performance.now() < until) return send()
    socket.destroy()
    resolve()
  })
  socket.on('connect', send).on('error', reject)
  return promise
}

function isWhole(text: string): boolean {
  const end = text.indexOf('\r\n\r\n')
  const length = Number(/\r\ncontent-length: (\d+)/i.exec(text)?.[1] ?? 0)
  return end >= 0 && text.length >= end + 4 + length
}
