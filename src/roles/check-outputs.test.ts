// Tests that output files are checked before a job is accepted.
import assert from 'node:assert/strict'
import { existsSync } from 'node:fs'
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import { checkOutputs } from './check-outputs.ts'

let folder: string
before(async () => {
  folder = await mkdtemp(join(tmpdir(), 'kscrape-outputs-'))
})
after(() => rm(folder, { recursive: true }))

const to = (...names: string[]) => names.map(name => ({ path: name, format: 'jsonl' as const }))

test('the check of output paths leaves no file behind, and existing files stay unchanged', async () => {
  const fresh = join(folder, 'new/folder/a.jsonl')
  const known = join(folder, 'known.jsonl')
  await writeFile(known, 'before')
  await checkOutputs(to('-', fresh, known))
  assert.equal(existsSync(fresh), false)
  assert.equal(existsSync(join(folder, 'new/folder')), true)
  assert.equal(await readFile(known, 'utf8'), 'before')
})

test('an output path that is a folder, leads through a file or is used twice is refused, and the error names it', async () => {
  await writeFile(join(folder, 'file'), '')
  const refused = (path: string) => ({ code: 'input.invalid', message: new RegExp(path), details: { path } })
  await assert.rejects(checkOutputs(to(folder)), refused(folder))
  const through = join(folder, 'file/a.jsonl')
  await assert.rejects(checkOutputs(to(through)), refused(through))
  const twice = join(folder, 'twice.jsonl')
  await assert.rejects(checkOutputs(to(twice, twice)), refused(twice))
})
