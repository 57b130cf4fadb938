// The examples do what they say: each is run as a reader would run it.
import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { promisify } from 'node:util'

const run = promisify(execFile)

test('the demo of `make run` shows products of the demo site', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'kscrape-demo-'))
  try {
    const script = join(import.meta.dirname, '../../examples/demo/run.ts')
    const { stdout, stderr } = await run(process.execPath, [script, folder, '45'])
    assert.match(stderr, /completed demo: \d+ records from 45 pages/)
    assert.match(stdout, /^NAME +PRICE +BRAND/m)
    assert.match(stdout, /^\S.*\d+\.\d\d (EUR|GBP|USD) .*(yes|no) +\d\.\d/m)
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
})
