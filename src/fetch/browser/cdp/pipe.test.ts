// Tests that messages are read correctly when they arrive in chunks.
import assert from 'node:assert/strict'
import test from 'node:test'
import fc from 'fast-check'
import { messageReader } from './pipe.ts'

test('messages from the browser are parsed completely, however their bytes are split', () => {
  const message = fc.string({ unit: 'grapheme' }).map(text => text.replaceAll('\0', ''))
  fc.assert(
    fc.property(fc.array(message), fc.integer({ min: 1, max: 7 }), (messages, size) => {
      const bytes = Buffer.from(messages.map(text => `${text}\0`).join(''))
      const read: string[] = []
      const reader = messageReader({ message: text => read.push(text), tooLong: assert.fail })
      for (let at = 0; at < bytes.length; at += size) reader(bytes.subarray(at, at + size))
      assert.deepEqual(read, messages)
    }),
  )
})

test('a message above the size limit is dropped, and the next message is read', () => {
  const read: string[] = []
  const tooLong: string[] = []
  const reader = messageReader(
    { message: text => read.push(text), tooLong: start => tooLong.push(start) },
    1_000,
  )
  const bytes = Buffer.from(`{"id":7,"result":"${'x'.repeat(5_000)}"}\0{"id":8}\0`)
  for (let at = 0; at < bytes.length; at += 64) reader(bytes.subarray(at, at + 64))
  assert.deepEqual(read, ['{"id":8}'])
  assert.equal(tooLong.length, 1)
  assert.match(tooLong[0]!, /^\{"id":7,/)
})
