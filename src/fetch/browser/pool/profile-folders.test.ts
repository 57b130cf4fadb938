// Tests that folders and browsers of killed processes are removed, and that those in use stay.
import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdir, mkdtemp, readdir, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { basename, join } from 'node:path'
import test from 'node:test'
import { startTimeOf } from './processes.ts'
import { makeBrowserFolder, sweepOrphans } from './profile-folders.ts'

test('the folder and processes of a dead owner are deleted, those of a living one stay', async t => {
  const temp = await mkdtemp(join(tmpdir(), 'kscrape-sweep-'))
  t.after(() => rm(temp, { recursive: true, force: true }))
  const mine = await makeBrowserFolder(temp)
  // A process with this pid exists, but it did not create the folder.
  const left = join(temp, `kscrape-browser-${process.pid}-${Number(startTimeOf(process.pid)) - 1}-abcdef`)
  await mkdir(left)
  const browser = spawn('sh', ['-c', 'while :; do sleep 1; done', `--user-data-dir=${left}`], {
    detached: true,
    stdio: 'ignore',
  })
  await once(browser, 'spawn')
  const ended = once(browser, 'exit')

  const swept = await sweepOrphans(temp)

  assert.deepEqual(swept, { folders: 1, processes: 1 })
  assert.deepEqual(await readdir(temp), [basename(mine)])
  assert.equal((await ended)[1], 'SIGKILL')
})
