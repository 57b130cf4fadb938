// Tests copies of the write-ahead log on a real file: where they run, and that nothing is lost.
import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { mkdtempSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { afterEach, beforeEach, test } from 'node:test'
import { setTimeout as wait } from 'node:timers/promises'
import { Connection } from './connection.ts'

const limits = { largeLog: 100, largestLog: 100_000, smallCopy: 10 }

let folder: string
let path: string
let connection: Connection

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'kscrape-log-'))
  path = join(folder, 'store.db')
  connection = new Connection({ path, readOnly: false, busyTimeoutMs: 50, checkpointLimits: limits })
  connection.exec('CREATE TABLE pages (text)')
})

afterEach(async () => {
  await connection.checkpoints?.[Symbol.asyncDispose]()
  connection[Symbol.dispose]()
  rmSync(folder, { recursive: true })
})

const add = (rows: number): void =>
  connection.write(() => {
    for (let row = 0; row < rows; row++)
      connection.run('INSERT INTO pages VALUES (?)', `secret ${'x'.repeat(4_000)}`)
  })

const log = () => connection.one<{ log: number; checkpointed: number }>('PRAGMA wal_checkpoint(NOOP)')!

/** Waits until the copy on the other thread has ended. */
async function copied(): Promise<void> {
  while (connection.checkpoints!.isCopying) await wait(5)
}

test('a large log is copied on another thread, and the next commit writes the log from its start', async () => {
  add(200)
  assert.equal(connection.checkpoints!.isCopying, true)
  assert.equal(log().checkpointed, 0, 'the commit itself copies nothing')
  await copied()
  assert.equal(log().checkpointed, log().log)
  add(1)
  assert.ok(log().log < 100, `the log has ${log().log} pages`)
  assert.equal(connection.one<{ rows: number }>('SELECT count(*) AS rows FROM pages')!.rows, 201)
})

test('a small log is copied only after a while without writes', async t => {
  add(5)
  assert.equal(connection.checkpoints!.isCopying, false)
  assert.equal(log().checkpointed, 0)
  const until = AbortSignal.any([t.signal])
  while (log().checkpointed < log().log) await wait(20, undefined, { signal: until })
})

test('a commit copies the log itself if the log has reached its largest size', () => {
  connection[Symbol.dispose]()
  const checkpointLimits = { ...limits, largeLog: 1_000, largestLog: 100 }
  connection = new Connection({ path, readOnly: false, busyTimeoutMs: 50, checkpointLimits })
  add(200)
  assert.equal(log().checkpointed, log().log)
})

test('an emptied log contains no deleted rows', async () => {
  add(200)
  connection.write(() => connection.run('DELETE FROM pages'))
  await connection.checkpoints!.empty()
  assert.equal(statSync(`${path}-wal`).size, 0)
})

test('a process that waits for a copy does not end before the copy has ended', () => {
  const program = `
    import { Connection } from ${JSON.stringify(import.meta.resolve('./connection.ts'))}
    const options = ${JSON.stringify({ path: join(folder, 'other.db'), readOnly: false, busyTimeoutMs: 50, checkpointLimits: limits })}
    const connection = new Connection(options)
    connection.exec('CREATE TABLE pages (text)')
    connection.write(() => connection.run("INSERT INTO pages VALUES (zeroblob(800000))"))
    if (!connection.checkpoints.isCopying) throw new Error('nothing is copied')
    await connection.checkpoints.empty()
    console.log('emptied')`
  const { stdout, stderr } = spawnSync(process.execPath, ['--input-type=module', '-e', program], {
    encoding: 'utf8',
  })
  assert.equal(stdout, 'emptied\n', stderr)
})

test('the error for a log that cannot be emptied names the file and the reason', async () => {
  add(5)
  using reader = new DatabaseSync(path, { readOnly: true })
  reader.exec('BEGIN; SELECT count(*) FROM pages')
  add(5)
  await assert.rejects(connection.checkpoints!.empty(), {
    code: 'store.busy',
    message: /store\.db-wal still contains deleted rows, because another process reads the store/,
  })
})

test('closing the store waits for a running copy, and leaves no log', async () => {
  add(200)
  await connection.checkpoints![Symbol.asyncDispose]()
  connection[Symbol.dispose]()
  assert.throws(() => statSync(`${path}-wal`), { code: 'ENOENT' })
  using again = new DatabaseSync(path)
  assert.equal(again.prepare('SELECT count(*) AS rows FROM pages').get()!.rows, 200)
})
