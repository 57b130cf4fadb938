// The contract of the blobs. Every adapter passes all of it, unchanged.
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import type { Blobs } from '../../src/ports/blobs.ts'

/** `open` gives blobs with nothing in them; `again` opens the same ones as another process would. */
export type OpenBlobs = () => Promise<{ blobs: Blobs; again: () => Promise<Blobs> } & AsyncDisposable>

const bytes = (text: string): Buffer => Buffer.from(text)

async function keysOf(blobs: Blobs, prefix: string): Promise<string[]> {
  const keys: string[] = []
  for await (const { key } of blobs.list(prefix)) keys.push(key)
  return keys
}

export function blobsContract(name: string, open: OpenBlobs): void {
  describe(`blobs on ${name}`, () => {
    test('what was put is there, whole, for others too', async () => {
      await using opened = await open()
      const body = Buffer.from(Array.from({ length: 100_000 }, (_, i) => i % 256))
      await opened.blobs.put('jobs/a/page.bin', body)
      await opened.blobs.put('jobs/a/empty', bytes(''))

      await using other = await opened.again()

      assert.deepEqual(await other.get('jobs/a/page.bin'), body)
      assert.deepEqual(await other.get('jobs/a/empty'), bytes(''))
      assert.equal(await other.get('jobs/a/nothing'), null)
    })

    test('putting again replaces', async () => {
      await using opened = await open()
      const { blobs } = opened
      await blobs.put('key', bytes('a longer first version'))
      await blobs.read({ key: 'key', offset: 0, length: 5 })
      await blobs.put('key', bytes('second'))

      assert.deepEqual(await blobs.get('key'), bytes('second'))
      assert.deepEqual(await blobs.read({ key: 'key', offset: 0, length: 6 }), bytes('second'))
    })

    test('while a key is put again and again, a reader sees one version or the other', async () => {
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

    test('each append says where its bytes are, and they can be read back by themselves', async () => {
      await using opened = await open()
      const { blobs } = opened
      const texts = Array.from({ length: 50 }, (_, i) => `page ${i} `.repeat(i + 1))

      const refs = await Promise.all(texts.map(text => blobs.append('segments/job', bytes(text))))

      await using other = await opened.again()
      for (const [i, ref] of refs.entries()) assert.equal((await other.read(ref)).toString(), texts[i])
    })

    test('two that append to one name never meet in one place', async () => {
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

    test('a part of an object can be read; beyond its end is an error', async () => {
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

    test('what was deleted is gone, and deleting what is not there is no error', async () => {
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

    test('a key that could lead elsewhere is refused by every method', async () => {
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
        await assert.rejects(blobs.get(key), refused, key)
        await assert.rejects(blobs.read({ key, offset: 0, length: 1 }), refused, key)
        await assert.rejects(blobs.delete([key]), refused, key)
      }
    })

    test('free space is a number of bytes, or null where there is no limit', async () => {
      await using opened = await open()
      const free = await opened.blobs.free()
      assert.ok(free === null || free > 0)
    })
  })
}
