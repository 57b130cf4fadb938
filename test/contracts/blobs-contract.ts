// The contract of the blob store. Every adapter must pass all of these tests.
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { Failure } from '../../src/model/failures.ts'
import type { Blobs } from '../../src/ports/blobs.ts'

/** `open` returns an empty blob store. `again` opens the same store as another process would. */
export type OpenBlobs = () => Promise<{ blobs: Blobs; again: () => Promise<Blobs> } & AsyncDisposable>

const bytes = (text: string): Buffer => Buffer.from(text)

/** Chunks as they arrive over the network. A Failure among them ends the stream. */
async function* inTurn(pieces: Array<Uint8Array | Failure>): AsyncGenerator<Uint8Array> {
  for (const piece of pieces) {
    if (piece instanceof Failure) throw piece
    yield piece
  }
}

async function keysOf(blobs: Blobs, prefix: string): Promise<string[]> {
  const keys: string[] = []
  for await (const { key } of blobs.list(prefix)) keys.push(key)
  return keys
}

export function blobsContract(name: string, open: OpenBlobs): void {
  describe(`blobs on ${name}`, () => {
    test('an object can be read completely after it is put, also by other clients', async () => {
      await using opened = await open()
      const body = Buffer.from(Array.from({ length: 100_000 }, (_, i) => i % 256))
      await opened.blobs.put('jobs/a/page.bin', body)
      await opened.blobs.put('jobs/a/empty', bytes(''))

      await using other = await opened.again()

      assert.deepEqual(await other.get('jobs/a/page.bin'), body)
      assert.deepEqual(await other.get('jobs/a/empty'), bytes(''))
      assert.equal(await other.get('jobs/a/nothing'), null)
    })

    test('putting an object again replaces it', async () => {
      await using opened = await open()
      const { blobs } = opened
      await blobs.put('key', bytes('a longer first version'))
      await blobs.read({ key: 'key', offset: 0, length: 5 })
      await blobs.put('key', bytes('second'))

      assert.deepEqual(await blobs.get('key'), bytes('second'))
      assert.deepEqual(await blobs.read({ key: 'key', offset: 0, length: 6 }), bytes('second'))
    })

    test('bytes of an object can be replaced, and bytes that are appended at the same time stay', async () => {
      await using opened = await open()
      const { blobs } = opened
      const first = await blobs.append('jobs/a/segments/lane', bytes('one two three'))
      await using other = await opened.again()
      await other.overwrite(first.key, [
        { offset: first.offset + 4, bytes: bytes('TWO') },
        { offset: first.offset, bytes: bytes('ONE') },
      ])
      const second = await blobs.append('jobs/a/segments/lane', bytes(' four'))
      assert.deepEqual(await blobs.read(first), bytes('ONE TWO three'))
      assert.deepEqual(await blobs.read(second), bytes(' four'))
      const missing = other.overwrite('jobs/a/none', [{ offset: 0, bytes: bytes('x') }])
      await assert.rejects(missing, { code: 'storage.failed' })
    })

    test('a moved object exists only under its new key', async () => {
      await using opened = await open()
      const { blobs } = opened
      await blobs.put('uploads/a/incoming/rows (1).csv', bytes('url\n'))
      await blobs.put('uploads/a/rows.csv', bytes('older'))
      await blobs.move('uploads/a/incoming/rows (1).csv', 'uploads/a/rows.csv')
      assert.deepEqual(await blobs.get('uploads/a/rows.csv'), bytes('url\n'))
      assert.equal(await blobs.size('uploads/a/incoming/rows (1).csv'), null)
      await assert.rejects(blobs.move('uploads/a/none', 'uploads/a/other'), { code: 'storage.failed' })
    })

    test('a body of any size can be written and read as a stream', async () => {
      await using opened = await open()
      const pieces = Array.from({ length: 300 }, (_, i) => bytes(`piece ${i} `.repeat(10_000)))
      await opened.blobs.putStream('uploads/a/rows.txt', inTurn(pieces))
      await opened.blobs.putStream('uploads/a/empty', inTurn([]))

      await using other = await opened.again()
      const whole = Buffer.concat(pieces)
      const read = await Array.fromAsync(other.openRead('uploads/a/rows.txt'))
      assert.ok(Buffer.concat(read).equals(whole))
      assert.ok(read.length > 1)
      assert.equal(await other.size('uploads/a/rows.txt'), whole.length)
      assert.equal(await other.size('uploads/a/empty'), 0)
      assert.deepEqual(await Array.fromAsync(other.openRead('uploads/a/empty')), [])
    })

    test('if a body breaks off while it is stored, no object is created, and an existing object stays unchanged', async () => {
      await using opened = await open()
      const { blobs } = opened
      await blobs.put('uploads/kept', bytes('whole'))
      for (const key of ['uploads/kept', 'uploads/new'])
        await assert.rejects(
          blobs.putStream(key, inTurn([bytes('half of '), new Failure('request.invalid', 'it broke off')])),
          { code: 'request.invalid' },
        )

      assert.deepEqual(await blobs.get('uploads/kept'), bytes('whole'))
      assert.deepEqual(await keysOf(blobs, ''), ['uploads/kept'])
    })

    test('a missing object has no size and cannot be read', async () => {
      await using opened = await open()
      assert.equal(await opened.blobs.size('none'), null)
      await assert.rejects(Array.fromAsync(opened.blobs.openRead('none')), { code: 'storage.failed' })
    })

    test('a client may stop reading in the middle of an object', async () => {
      await using opened = await open()
      await opened.blobs.putStream(
        'large',
        inTurn(Array.from({ length: 40 }, () => Buffer.alloc(100_000, 'x'))),
      )
      for await (const chunk of opened.blobs.openRead('large')) {
        assert.ok(chunk.length > 0)
        break
      }
    })

    test('a signed URL accepts one PUT, if the backend can be reached from outside', async () => {
      await using opened = await open()
      const { blobs } = opened
      const signed = await blobs.signedPut('uploads/b/rows.txt', { expiresInMs: 60_000 })
      if (signed === null) return
      const answer = await fetch(signed.url, { method: 'PUT', headers: signed.headers, body: 'one\ntwo\n' })
      assert.equal(answer.status, 200, await answer.text())
      assert.deepEqual(await blobs.get('uploads/b/rows.txt'), bytes('one\ntwo\n'))
    })

    test('a signed URL downloads one object as a file, if the backend can be reached from outside', async () => {
      await using opened = await open()
      const { blobs } = opened
      await blobs.put('files/page.png', bytes('a picture'))
      const terms = { expiresInMs: 60_000, fileName: 'the "page".png', type: 'image/png' }
      const url = await blobs.signedGet('files/page.png', terms)
      if (url === null) return
      const answer = await fetch(url)
      assert.equal(await answer.text(), 'a picture')
      const asked = new URL(url).searchParams
      assert.equal(asked.get('response-content-type'), 'image/png')
      assert.equal(asked.get('response-content-disposition'), 'attachment; filename="the__page_.png"')
      assert.equal(asked.get('X-Amz-Expires'), '60')
    })

    test('while an object is overwritten repeatedly, a read returns either the old or the new version', async () => {
      await using opened = await open()
      const { blobs } = opened
      const versions = ['a', 'b'].map(letter => bytes(letter.repeat(50_000)))
      await blobs.put('key', versions[0]!)
      const writing = (async () => {
        for (let i = 0; i < 20; i += 1) await blobs.put('key', versions[i % 2]!)
      })()
      for (let i = 0; i < 20; i += 1) {
        const seen = await blobs.get('key')
        assert.ok(versions.some(version => seen?.equals(version)))
      }
      await writing
    })

    test('each append returns the position of its bytes, and these bytes can be read back without the rest', async () => {
      await using opened = await open()
      const { blobs } = opened
      const texts = Array.from({ length: 50 }, (_, i) => `page ${i} `.repeat(i + 1))

      const refs = await Promise.all(texts.map(text => blobs.append('segments/job', bytes(text))))

      await using other = await opened.again()
      for (const [i, ref] of refs.entries()) assert.equal((await other.read(ref)).toString(), texts[i])
    })

    test('two concurrent appends to one key never overlap', async () => {
      await using opened = await open()
      await using other = await opened.again()
      const places = new Set<string>()
      for (let i = 0; i < 10; i += 1)
        for (const blobs of [opened.blobs, other]) {
          const ref = await blobs.append('segments/job', bytes(`page ${i}`))
          places.add(`${ref.key} ${ref.offset}`)
          assert.equal((await opened.blobs.read(ref)).toString(), `page ${i}`)
        }

      assert.equal(places.size, 20)
    })

    test('a range of an object can be read; a range beyond its end is an error', async () => {
      await using opened = await open()
      const { blobs } = opened
      await blobs.put('key', bytes('0123456789'))

      assert.deepEqual(await blobs.read({ key: 'key', offset: 3, length: 4 }), bytes('3456'))
      await assert.rejects(blobs.read({ key: 'key', offset: 8, length: 4 }), { code: 'storage.failed' })
      await assert.rejects(blobs.read({ key: 'none', offset: 0, length: 1 }), { code: 'storage.failed' })
    })

    test('keys are listed below a prefix, in order, with their sizes', async () => {
      await using opened = await open()
      const { blobs } = opened
      const keys = ['jobs/a/2', 'jobs/a-b', 'jobs/a/1/x', 'jobs/b', 'other', 'jobs/a.txt']
      for (const key of keys) await blobs.put(key, bytes(key))

      assert.deepEqual(await keysOf(blobs, ''), keys.toSorted())
      assert.deepEqual(await keysOf(blobs, 'jobs/a/'), ['jobs/a/1/x', 'jobs/a/2'])
      assert.deepEqual(await keysOf(blobs, 'jobs/a'), ['jobs/a-b', 'jobs/a.txt', 'jobs/a/1/x', 'jobs/a/2'])
      assert.deepEqual(await keysOf(blobs, 'nothing/here'), [])
      for await (const { key, bytes: size, modifiedAt } of blobs.list('')) {
        assert.equal(size, key.length)
        assert.ok(Number.isInteger(modifiedAt))
      }
    })

    test('a deleted object is gone, and deleting a missing object is no error', async () => {
      await using opened = await open()
      const { blobs } = opened
      await blobs.put('a', bytes('a'))
      await blobs.put('b', bytes('b'))
      await blobs.read({ key: 'a', offset: 0, length: 1 })

      await blobs.delete(['a', 'never-there'])

      assert.equal(await blobs.get('a'), null)
      await assert.rejects(blobs.read({ key: 'a', offset: 0, length: 1 }), { code: 'storage.failed' })
      assert.deepEqual(await keysOf(blobs, ''), ['b'])
    })

    test('a folder is deleted with all its objects, and no other object', async () => {
      await using opened = await open()
      const { blobs } = opened
      const keys = ['jobs/a/1', 'jobs/a/deep/2', 'jobs/ab/1', 'jobs/b/1']
      for (const key of keys) await blobs.put(key, bytes(key))
      const ref = await blobs.append('jobs/a/segments/s', bytes('segment'))

      await blobs.deleteBelow('jobs/a/')
      await blobs.deleteBelow('jobs/never-there/')

      assert.deepEqual(await keysOf(blobs, ''), ['jobs/ab/1', 'jobs/b/1'])
      await assert.rejects(blobs.read(ref), { code: 'storage.failed' })
      for (const prefix of ['jobs/a', '', '/', '../', 'jobs/../'])
        await assert.rejects(blobs.deleteBelow(prefix), { code: 'input.invalid' }, prefix)
    })

    test('every method refuses a key that could escape the storage root', async () => {
      await using opened = await open()
      const { blobs } = opened
      const bad = [
        '',
        '/etc/passwd',
        '../x',
        'a/../../x',
        'a//b',
        'a/',
        './a',
        'a\\..\\b',
        'a\0b',
        'x'.repeat(2_000),
      ]
      const refused = { code: 'input.invalid' }
      for (const key of bad) {
        await assert.rejects(blobs.put(key, bytes('x')), refused, key)
        await assert.rejects(blobs.append(key, bytes('x')), refused, key)
        await assert.rejects(blobs.putStream(key, inTurn([bytes('x')])), refused, key)
        await assert.rejects(blobs.get(key), refused, key)
        await assert.rejects(Array.fromAsync(blobs.openRead(key)), refused, key)
        await assert.rejects(blobs.size(key), refused, key)
        await assert.rejects(blobs.signedPut(key, { expiresInMs: 1_000 }), refused, key)
        await assert.rejects(blobs.read({ key, offset: 0, length: 1 }), refused, key)
        await assert.rejects(blobs.delete([key]), refused, key)
      }
    })

    test('free space is a number of bytes, or null if there is no limit', async () => {
      await using opened = await open()
      const free = await opened.blobs.free()
      assert.ok(free === null || free > 0)
    })
  })
}
