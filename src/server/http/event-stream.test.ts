// Server-sent events.
import assert from 'node:assert/strict'
import type { Readable } from 'node:stream'
import { test } from 'node:test'
import { EventStream } from './event-stream.ts'

function opened() {
  const events = new EventStream()
  const headers: Record<string, string> = {}
  let body: Readable | undefined
  const reply = {
    type: () => reply,
    header: (name: string, value: string) => {
      headers[name] = value
      return reply
    },
    send: (stream: Readable) => {
      body = stream
    },
  }
  events.answer(reply as never)
  return { events, headers, text: async () => Buffer.concat(await Array.fromAsync(body!)).toString() }
}

test('an event has its name, and data in snake_case', async () => {
  const { events, headers, text } = opened()
  events.send('task', { jobId: 'job-1' })
  events.end()
  assert.equal(await text(), 'event: task\ndata: {"job_id":"job-1"}\n\n')
  assert.equal(headers['cache-control'], 'no-store')
})

test('a slow client misses events and learns how many, but gets every essential event', async () => {
  const { events, text } = opened()
  events.send('task', { text: 'x'.repeat(1_100_000) })
  events.send('task', { n: 1 })
  events.send('task', { n: 2 })
  events.send('status', { done: true }, { essential: true })
  events.end()
  const all = await text()
  assert.doesNotMatch(all, /"n":/)
  assert.match(all, /event: dropped\ndata: \{"events":2\}\n\nevent: status\ndata: \{"done":true\}/)
})

test('nothing is written after the end of an event stream, and its close is reported once', async () => {
  const { events, text } = opened()
  let closed = 0
  events.onClose(() => closed++)
  events.end()
  events.send('task', {})
  events.end()
  assert.equal(await text(), '')
  events.abandon()
  assert.equal(closed, 1)
})
