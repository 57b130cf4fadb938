// Tests session files: complete, private, and safe if several processes change them.
import assert from 'node:assert/strict'
import { mkdtemp, readdir, rm, stat, utimes, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import type { StorageState } from '../model/policy/rendering.ts'
import { openSessions } from './sessions.ts'

const cookie = (name: string, expires = -1): StorageState['cookies'][number] => ({
  name,
  value: 'v',
  domain: 'shop.example',
  path: '/',
  expires,
  httpOnly: false,
  secure: false,
  sameSite: 'Lax',
})
const origins = [{ origin: 'https://shop.example', localStorage: [{ name: 'token', value: 't' }] }]

async function place() {
  const path = await mkdtemp(join(tmpdir(), 'kscrape-sessions-'))
  return { path, [Symbol.asyncDispose]: () => rm(path, { recursive: true, force: true }) }
}

test('a session is read back as it was stored, without expired cookies', async () => {
  await using dir = await place()
  const sessions = openSessions(dir.path)
  assert.equal(await sessions.load('shop'), null)
  await sessions.save('shop', {
    cookies: [cookie('a'), cookie('old', 1_000), cookie('b', 4_102_444_800)],
    origins,
  })
  assert.deepEqual(await sessions.load('shop'), {
    cookies: [cookie('a'), cookie('b', 4_102_444_800)],
    origins,
  })
})

test('only its owner can read the file of a session, and no temporary file is left', async () => {
  await using dir = await place()
  await openSessions(dir.path).save('shop', { cookies: [], origins })
  const folder = join(dir.path, 'sessions')
  assert.equal((await stat(folder)).mode & 0o777, 0o700)
  assert.equal((await stat(join(folder, 'shop.json'))).mode & 0o777, 0o600)
  assert.deepEqual(await readdir(folder), ['shop.json'])
})

test('concurrent changes of a session are all stored', async () => {
  await using dir = await place()
  const names = Array.from({ length: 12 }, (_, index) => `c${index}`)
  await Promise.all(
    names.map(name =>
      openSessions(dir.path).change('shop', state => ({
        ...state,
        cookies: [...state.cookies, cookie(name)],
      })),
    ),
  )
  const kept = await openSessions(dir.path).load('shop')
  assert.deepEqual(kept?.cookies.map(({ name }) => name).sort(), names.sort())
})

test('the lock that a dead process left on a session does not block others', async () => {
  await using dir = await place()
  const sessions = openSessions(dir.path)
  await sessions.save('shop', { cookies: [], origins })
  const lock = join(dir.path, 'sessions', 'shop.lock')
  await writeFile(lock, '')
  await utimes(lock, 1, 1)
  await sessions.save('shop', { cookies: [cookie('a')], origins: [] })
  assert.equal((await sessions.load('shop'))?.cookies.length, 1)
})

test('sessions are listed by name and can be deleted', async () => {
  await using dir = await place()
  const sessions = openSessions(dir.path)
  assert.deepEqual(await sessions.list(), [])
  await sessions.save('b', { cookies: [cookie('x')], origins })
  await sessions.save('a', { cookies: [], origins: [] })
  assert.deepEqual(
    (await sessions.list()).map(({ name, state }) => [name, state.cookies.length]),
    [
      ['a', 0],
      ['b', 1],
    ],
  )
  assert.equal(await sessions.remove('b'), true)
  assert.equal(await sessions.remove('b'), false)
})

test('a session name that leaves the folder, and a file with other content, are refused with a remedy', async () => {
  await using dir = await place()
  const sessions = openSessions(dir.path)
  await assert.rejects(sessions.load('../secrets'), /is not a valid name for a session/)
  await sessions.save('shop', { cookies: [], origins: [] })
  await writeFile(join(dir.path, 'sessions', 'shop.json'), '[]')
  await assert.rejects(sessions.load('shop'), /kscrape sessions rm shop/)
})
