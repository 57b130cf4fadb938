// Messages that arrive in chunks.
import assert from 'node:assert/strict'
import test from 'node:test'
import fc from 'fast-check'
import { messageReader } from './pipe.ts'

test('messages are read completely however their bytes are split', () => {
  const message = fc.string({ unit: 'grapheme' }).map(text => text.replaceAll('\0', ''))
  fc.assert(
    fc.property(fc.array(message), fc.integer({ min: 1, max: 7 }), (messages, size) => {
      const bytes = Buffer.from(messages.map(text => `${text}\0`).join(''))
      const read: string[] = []
      const reader = messageReader(text => read.push(text))
      for (let at = 0; at < bytes.length; at += size) reader(bytes.subarray(at, at + size))
      assert.deepEqual(read, messages)
    }),
  )
})
