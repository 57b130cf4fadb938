// Tests which uploaded files are accepted: their length, their hash and their size limits.
import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { Readable } from 'node:stream'
import { test } from 'node:test'
import { checked, refuseTooLarge } from './receive.ts'

const sha256 = (text: string) => createHash('sha256').update(text).digest('hex')

async function receive(text: string, terms: { bytes?: number; sha256?: string } = {}, maxUploadBytes = 0) {
  const progress = { bytes: 0, hash: createHash('sha256'), sha256: '' }
  const server = { settings: { maxUploadBytes, bodyTimeoutMs: 60_000 } } as never
  const chunks = await Array.fromAsync(
    checked(server, Readable.from([Buffer.from(text)]), terms as never, progress),
  )
  return { text: Buffer.concat(chunks).toString(), ...progress }
}

test('a file with the announced length and hash is accepted', async () => {
  const { text, bytes, sha256: found } = await receive('hello', { bytes: 5, sha256: sha256('hello') })
  assert.deepEqual([text, bytes, found], ['hello', 5, sha256('hello')])
})

test('a file of another length or another hash is refused', async () => {
  const wrong = (path: string) => ({ code: 'input.invalid', details: { path } })
  await assert.rejects(receive('hello', { bytes: 4 }), wrong('bytes'))
  await assert.rejects(receive('hello', { bytes: 6 }), wrong('bytes'))
  await assert.rejects(receive('hello', { sha256: sha256('other') }), wrong('sha256'))
})

test('a file above the limit of the service is too large, whatever was announced', async () => {
  await assert.rejects(receive('hello', {}, 4), (error: { code: string }) => error.code !== 'input.invalid')
  await assert.rejects(
    receive('hello', { bytes: 5 }, 4),
    (error: { code: string }) => error.code !== 'input.invalid',
  )
  await receive('hello', {}, 5)
})

test('a file is refused before it is read if the disk has no space for it', async () => {
  const serverWith = (free: number | null) =>
    ({
      settings: { maxUploadBytes: 100, minFreeBytes: 10 },
      parts: { blobs: { free: async () => free } },
    }) as never
  await refuseTooLarge(serverWith(60), 50)
  await refuseTooLarge(serverWith(null), 50)
  await assert.rejects(refuseTooLarge(serverWith(59), 50), { code: 'storage.full' })
  await assert.rejects(refuseTooLarge(serverWith(null), 101))
})
