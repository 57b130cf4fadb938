// Tests which nightly files run because the code that they cover changed.
import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { globSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { changedSinceMain, coveringChanges, nightlyTable } from './nightly.ts'

const root = join(import.meta.dirname, '../..')

test('a nightly file runs if the file itself or the code that it covers changed', () => {
  const all = ['test/x.nightly.test.ts', 'test/y.nightly.test.ts', 'test/z.test.ts']
  const table = [{ tests: 'test/x', covers: ['src/fetch/', 'Dockerfile'] }]
  const running = (...changed: string[]) => coveringChanges(all, changed, table)
  assert.deepEqual(running('src/fetch/http/a.ts'), ['test/x.nightly.test.ts'])
  assert.deepEqual(running('Dockerfile'), ['test/x.nightly.test.ts'])
  assert.deepEqual(running('test/y.nightly.test.ts'), ['test/y.nightly.test.ts'])
  assert.deepEqual(running('src/jobs/a.ts', 'test/z.test.ts'), [])
})

test('the table of nightly files names only files and code that exist', () => {
  for (const { tests, covers } of nightlyTable) {
    assert.ok(
      globSync(`${tests}*.nightly.test.ts`, { cwd: root }).length > 0,
      `no nightly file starts with ${tests}`,
    )
    for (const start of covers)
      assert.ok(globSync(`${start}*`, { cwd: root }).length > 0, `nothing starts with ${start}`)
  }
})

test('the changes since main include commits, uncommitted edits and new files', () => {
  const folder = mkdtempSync(join(tmpdir(), 'kscrape-changes-'))
  const git = (...args: string[]) =>
    execFileSync('git', ['-c', 'user.name=t', '-c', 'user.email=t@example.com', ...args], {
      cwd: folder,
      stdio: 'ignore',
    })
  const write = (name: string, text = '') => writeFileSync(join(folder, name), text)
  try {
    assert.equal(changedSinceMain(folder), null)
    git('init', '-b', 'main')
    for (const name of ['same', 'committed', 'edited']) write(name)
    git('add', '.')
    git('commit', '-m', 'start')
    assert.deepEqual(changedSinceMain(folder), [])
    git('checkout', '-b', 'work')
    write('committed', 'x')
    git('commit', '-am', 'work')
    write('edited', 'x')
    write('new')
    assert.deepEqual(changedSinceMain(folder), ['committed', 'edited', 'new'])
    git('branch', '-m', 'main', 'gone')
    assert.equal(changedSinceMain(folder), null)
  } finally {
    rmSync(folder, { recursive: true })
  }
})
