// Tests gzip members from one shared compressor: each is complete, and together they are one file.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { gunzipSync } from 'node:zlib'
import fc from 'fast-check'
import { GzipMembers } from './gzip-members.ts'

test('every gzip member can be decompressed alone, whatever came before it', async () => {
  const members = new GzipMembers()
  const page = Buffer.from('<p>the same words over and over</p>'.repeat(2_000))
  for (const record of [page, Buffer.from('x'), page, Buffer.alloc(200_000, 'y'), page])
    assert.ok(gunzipSync(await members.member(record)).equals(record))
})

test('concatenated gzip members are one gzip file', async () => {
  const members = new GzipMembers()
  const file = [await members.member(Buffer.from('one,')), await members.member(Buffer.from('two'))]
  assert.equal(gunzipSync(Buffer.concat(file)).toString(), 'one,two')
})

test('any bytes in a gzip member are read back unchanged', async () => {
  const members = new GzipMembers()
  await fc.assert(
    fc.asyncProperty(fc.uint8Array({ minLength: 1, maxLength: 5_000 }), async bytes => {
      assert.deepEqual(new Uint8Array(gunzipSync(await members.member(Buffer.from(bytes)))), bytes)
    }),
  )
})
