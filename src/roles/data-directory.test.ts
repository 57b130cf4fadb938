// Tests which processes may open a data directory, and the file modes of the directory.
import assert from 'node:assert/strict'
import { chmodSync, existsSync, mkdirSync, statSync, writeFileSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, test } from 'node:test'
import {
  noteMoved,
  ownDataDirectory,
  ownInAnyCase,
  visitDataDirectory,
  withDataDirectory,
} from './data-directory.ts'

let folder: string
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'kscrape-data-'))
})
afterEach(() => rm(folder, { recursive: true }))

test('a directory has one owner; other processes may read it', async () => {
  const path = join(folder, 'new')
  await using _owner = await ownDataDirectory(path, 'serve')
  await assert.rejects(ownDataDirectory(path, 'crawl'), { code: 'store.locked' })
  await using visitor = await visitDataDirectory(path)
  assert.deepEqual(await visitor.store.jobs.list(), [])
})

test('a directory without jobs cannot be opened for reading, and reading does not create it', async () => {
  const path = join(folder, 'none')
  await assert.rejects(visitDataDirectory(path), { code: 'job.unknown', message: new RegExp(path) })
  assert.equal(existsSync(path), false)
  const made = await withDataDirectory(path, 'keys', async data => data.path)
  assert.equal(made, path)
  assert.equal(await withDataDirectory(path, 'keys', async data => data.inputs), join(path, 'inputs'))
})

test('a process refuses to continue jobs that were moved to a cluster', async () => {
  noteMoved(folder, { to: 'https://cluster.example', at: '2026-01-01' })
  await assert.rejects(ownDataDirectory(folder, 'serve'), {
    code: 'store.moved',
    message: /cluster\.example/,
  })
  await using moving = await ownInAnyCase(folder, 'move')
  assert.equal(moving.path, folder)
})

test('other users cannot open our data directory; the mode of a directory with other files stays unchanged', async () => {
  const modeOf = (path: string) => statSync(path).mode & 0o777
  const ours = join(folder, 'ours')
  mkdirSync(ours)
  chmodSync(ours, 0o755)
  await using _first = await ownDataDirectory(ours, 'serve')
  assert.equal(modeOf(ours), 0o700)
  const shared = join(folder, 'shared')
  mkdirSync(shared)
  writeFileSync(join(shared, 'thesis.txt'), '')
  chmodSync(shared, 0o755)
  const warned = new Promise<string>(resolve => process.once('warning', ({ message }) => resolve(message)))
  await using _second = await ownDataDirectory(shared, 'serve')
  assert.match(await warned, new RegExp(shared))
  assert.equal(modeOf(shared), 0o755)
})
