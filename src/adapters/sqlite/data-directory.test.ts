// Tests that only one process owns a data directory.
import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { isOwned, lockDataDirectory } from './data-directory.ts'

const directory = mkdtempSync(join(tmpdir(), 'kscrape-lock-'))
after(() => rmSync(directory, { recursive: true }))

const me = { pid: process.pid, command: 'kscrape crawl', startedAt: Date.UTC(2026, 0, 2, 3, 4, 5) }

/** A script that locks the directory, prints that it holds the lock, and keeps it. */
const holder = `
  import { lockDataDirectory } from ${JSON.stringify(import.meta.resolve('./data-directory.ts'))}
  const held = await lockDataDirectory(process.argv[1], { pid: process.pid, command: 'kscrape run list.csv', startedAt: 0 })
  console.log('held')
  setInterval(() => held, 60_000)`

test('a second process gets an error with the owner of the directory, its start time and the remedy', async () => {
  const path = join(directory, 'a')
  await using _held = await lockDataDirectory(path, me)

  const told = new RegExp(`process ${me.pid} \\(kscrape crawl, since 2026-01-02T03:04:05.000Z\\).*--data-dir`)
  await assert.rejects(lockDataDirectory(path, me), { code: 'store.locked', message: told })
})

test('after a release, the next process can lock the directory', async () => {
  const path = join(directory, 'b')
  for (let i = 0; i < 3; i += 1) await (await lockDataDirectory(path, me))[Symbol.asyncDispose]()
})

test('a killed process no longer locks the directory', async () => {
  const path = join(directory, 'c')
  const child = spawn(process.execPath, ['--input-type=module', '--eval', holder, path])
  await once(child.stdout, 'data')
  await assert.rejects(lockDataDirectory(path, me), {
    code: 'store.locked',
    message: /kscrape run list\.csv/,
  })

  child.kill('SIGKILL')
  await once(child, 'exit')

  await (await lockDataDirectory(path, me))[Symbol.asyncDispose]()
})

test('a directory is owned only while its process holds the lock', async () => {
  const path = join(directory, 'owned')
  assert.equal(isOwned(path), false)
  {
    await using _held = await lockDataDirectory(path, me)
    assert.equal(isOwned(path), true)
  }
  assert.equal(isOwned(path), false)
})
