// Tests key files, also when several processes start at the same time.
import assert from 'node:assert/strict'
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { Worker } from 'node:worker_threads'
import { makeKeyFile } from './key-file.ts'

/** Code of a worker thread. It creates the key when all workers are ready, and reports the key that it then reads. */
const racer = `
  const { parentPort, workerData } = require('node:worker_threads')
  const { readFileSync } = require('node:fs')
  import(workerData.module).then(({ makeKeyFile }) => {
    Atomics.add(workerData.ready, 0, 1)
    while (Atomics.load(workerData.ready, 0) < workerData.racers);
    for (const path of workerData.paths) makeKeyFile(path), parentPort.postMessage(readFileSync(path).toString('hex'))
  })`

test('concurrent callers read the same complete key, and no temporary file is left', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'kscrape-key-file-'))
  const paths = Array.from({ length: 200 }, (_, at) => join(folder, `key-${at}`))
  const module = new URL('./key-file.ts', import.meta.url).href
  const ready = new Int32Array(new SharedArrayBuffer(4))
  const racers = 2
  const read = await Promise.all(
    Array.from({ length: racers }, async () => {
      const keys: string[] = []
      const worker = new Worker(racer, { eval: true, workerData: { module, ready, racers, paths } })
      worker.on('message', key => keys.push(key))
      await new Promise((resolve, reject) => worker.on('exit', resolve).on('error', reject))
      return keys
    }),
  )
  assert.equal(read[0]!.length, paths.length)
  assert.deepEqual(read[0], read[1])
  assert.ok(read[0]!.every(key => key.length === 64))
  assert.equal((await readdir(folder)).length, paths.length)
  await rm(folder, { recursive: true })
})

test('an existing key file stays unchanged', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'kscrape-key-file-'))
  const path = join(folder, 'key')
  makeKeyFile(path)
  const key = await readFile(path)
  makeKeyFile(path)
  assert.ok((await readFile(path)).equals(key))
  await rm(folder, { recursive: true })
})

test('if the folder of a key file is missing, the error names the folder', () => {
  assert.throws(() => makeKeyFile('/nowhere/at/all/key'), {
    code: 'storage.failed',
    message: /\/nowhere\/at\/all\/key/,
  })
})
