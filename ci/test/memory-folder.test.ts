// The folder in memory for the temporary files of a test run.
import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { existsSync, mkdtempSync, rmdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { openMemoryFolder } from './memory-folder.ts'

const program = join(import.meta.dirname, 'memory-folder.ts')
const open = `import { openMemoryFolder } from ${JSON.stringify(program)}; process.stdout.write(String(openMemoryFolder()))`
const run = (end = '') =>
  spawnSync(process.execPath, ['--input-type=module-typescript', '-e', `${open};${end}`], {
    encoding: 'utf8',
  })

test('a missing folder and a folder on a disk are not used', () => {
  assert.equal(openMemoryFolder('/no/such/folder'), null)
  const onDisk = mkdtempSync(join(import.meta.dirname, '.folder-'))
  assert.equal(openMemoryFolder(onDisk), null)
  rmdirSync(onDisk)
})

test('the folder is deleted when its run ends; if the run was killed, the next run deletes the folder', t => {
  const { stdout: folder } = run()
  if (folder === 'null') return t.skip('this machine has too little memory for temporary files')
  assert.match(folder, /kscrape-tests-\d+-/)
  assert.equal(existsSync(folder), false)

  const { stdout: left, signal } = run(`process.kill(process.pid, 'SIGKILL')`)
  assert.equal(signal, 'SIGKILL')
  assert.equal(existsSync(left), true)
  rmSync(run().stdout, { recursive: true, force: true })
  assert.equal(existsSync(left), false)
})
