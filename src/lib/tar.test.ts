// Tests tar archives: files of any length and name can be read back, and errors name the position in the archive.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { BrokenTar, readTar, tarEnd, tarHead, tarRest } from './tar.ts'

interface File {
  path: string
  content: Buffer
}

const archiveOf = (files: File[]): Buffer =>
  Buffer.concat([
    ...files.flatMap(({ path, content }) => [
      tarHead({ path, bytes: content.length, modifiedAt: 1_700_000_000_000 }),
      content,
      tarRest(content.length),
    ]),
    tarEnd(),
  ])

async function* inChunks(bytes: Buffer, size: number): AsyncGenerator<Buffer> {
  for (let at = 0; at < bytes.length; at += size) yield bytes.subarray(at, at + size)
}

async function filesIn(bytes: Buffer, chunkBytes = 700): Promise<File[]> {
  const files: File[] = []
  for await (const { path, content } of readTar(inChunks(bytes, chunkBytes)))
    files.push({ path, content: Buffer.concat(await Array.fromAsync(content)) })
  return files
}

const names = fc
  .array(fc.stringMatching(/^[a-zäöü0-9_-]{1,40}$/), { minLength: 1, maxLength: 8 })
  .map(parts => parts.join('/'))
const someFiles = fc.array(
  fc.record(
    { path: names, content: fc.uint8Array({ maxLength: 2_000 }).map(bytes => Buffer.from(bytes)) },
    { noNullPrototype: true },
  ),
  { maxLength: 6 },
)

test('an archive is read back as it was written, in chunks of any size', async () => {
  await fc.assert(
    fc.asyncProperty(someFiles, fc.integer({ min: 1, max: 3_000 }), async (files, chunkBytes) => {
      assert.deepEqual(await filesIn(archiveOf(files), chunkBytes), files)
    }),
    { numRuns: 50 },
  )
})

test('a truncated tar archive is refused, never read as a shorter one', async () => {
  const whole = archiveOf([
    { path: 'first', content: Buffer.alloc(600, 1) },
    { path: `${'long/'.repeat(40)}second`, content: Buffer.alloc(100, 2) },
  ])
  for (let length = 0; length <= whole.length - tarEnd().length; length += 97)
    await assert.rejects(filesIn(whole.subarray(0, length)), BrokenTar, `cut to ${length} bytes`)
})

test('data that is not a tar archive is refused', async () => {
  await assert.rejects(filesIn(Buffer.from('something else'.repeat(100))), BrokenTar)
})

test('a tar header can hold sizes beyond 8 GB', async () => {
  const bytes = 9 * 2 ** 30
  const chunks = inChunks(tarHead({ path: 'large', bytes, modifiedAt: 0 }), 512)
  const { value } = await readTar(chunks).next()
  assert.equal(value?.bytes, bytes)
})

test('if a file of an archive is not read to its end, the next file is still found', async () => {
  const archive = archiveOf([
    { path: 'a', content: Buffer.alloc(5_000, 1) },
    { path: 'b', content: Buffer.from('b') },
  ])
  const paths: string[] = []
  for await (const { path } of readTar(inChunks(archive, 100))) paths.push(path)
  assert.deepEqual(paths, ['a', 'b'])
})
