// Tests several processes that open a new file at the same time, in an order that the test forces.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { turnOnLog } from './write-ahead-log.ts'

/** A fake database that fails with these error codes, one after another, and then works. */
function refusing(...codes: number[]) {
  const tried: string[] = []
  const exec = (text: string): void => {
    tried.push(text)
    const errcode = codes.shift()
    if (errcode !== undefined) throw Object.assign(new Error('database is locked'), { errcode })
  }
  return { exec, tried }
}

test('opening a new file is retried while another process opens the same file', () => {
  const database = refusing(5, 261)
  turnOnLog(database, 60_000)
  assert.deepEqual(database.tried, Array(3).fill('PRAGMA journal_mode = WAL'))
})

test('a file that stays busy fails at the timeout, and other errors fail at once', () => {
  assert.throws(() => turnOnLog(refusing(5, 5), 0), { errcode: 5 })
  const broken = refusing(26)
  assert.throws(() => turnOnLog(broken, 60_000), { errcode: 26 })
  assert.equal(broken.tried.length, 1)
})
