// Tests sessions that all processes share: one process stores a session encrypted in the bucket, and another process loads it.
import assert from 'node:assert/strict'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import { openFileBlobs } from '../../../adapters/fs/blobs.ts'
import { openSealer } from '../../../adapters/fs/sealer.ts'
import type { StorageState } from '../../../model/policy/rendering.ts'
import type { Blobs } from '../../../ports/blobs.ts'
import type { UnderLock } from '../../../ports/locks.ts'
import { openBlobSessions } from './blob-sessions.ts'

let folder: string
let blobs: Blobs
before(async () => {
  folder = await mkdtemp(join(tmpdir(), 'kscrape-sessions-'))
  blobs = await openFileBlobs(join(folder, 'blobs'))
})
after(async () => {
  await blobs[Symbol.asyncDispose]()
  await rm(folder, { recursive: true, force: true })
})

const cookie = (name: string, expires = -1): StorageState['cookies'][number] => ({
  ...{ name, value: 'secret-value', domain: 'shop.example', path: '/', expires },
  ...{ httpOnly: false, secure: false, sameSite: 'Lax' as const },
})

/** Runs the work items one after another, like the locks of a cluster. */
function inTurns(): UnderLock {
  let last: Promise<unknown> = Promise.resolve()
  return (_name, work) => {
    const done = last.then(work)
    last = done.catch(() => {})
    return done
  }
}

const open = (underLock = inTurns()) => openBlobSessions({ blobs, underLock, sealer: openSealer(folder) })

test('a process can load a session that another process stored, and the session is encrypted in the bucket', async () => {
  await open().save('shop', { cookies: [cookie('sid'), cookie('old', 1)], origins: [] })
  const state = await open().load('shop')
  assert.deepEqual(
    state?.cookies.map(({ name }) => name),
    ['sid'],
    'expired cookies are left out',
  )
  for await (const { key } of blobs.list('sessions/'))
    assert.ok(!(await blobs.get(key))!.toString().includes('secret-value'))
  assert.equal(await open().load('another'), null)
})

test('concurrent changes of a session by two processes are both stored', async () => {
  const underLock = inTurns()
  await open(underLock).save('both', { cookies: [], origins: [] })
  const add = (name: string) =>
    open(underLock).change('both', state => ({ ...state, cookies: [...state.cookies, cookie(name)] }))
  await Promise.all(['a', 'b', 'c', 'd'].map(add))
  const names = (await open().load('both'))!.cookies.map(({ name }) => name)
  assert.deepEqual(names.sort(), ['a', 'b', 'c', 'd'])
})

test('sessions are listed and removed by name, and a name that could escape the prefix is refused', async () => {
  await open().save('gone', { cookies: [], origins: [] })
  assert.ok((await open().list()).some(({ name }) => name === 'gone'))
  assert.equal(await open().remove('gone'), true)
  assert.equal(await open().remove('gone'), false)
  await assert.rejects(open().load('../shop'), /not a valid name for a session/)
})
