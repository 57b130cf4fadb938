// Tests that the job file of init is valid as written, and with its comments removed.
import assert from 'node:assert/strict'
import { mkdtempDisposableSync, readFileSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { specFromFile } from '../../pipeline/submit/job-input.ts'
import { jobFile, writeJobFile } from './init.ts'

test('the job file of init is valid as it is, and with all its suggestions uncommented', () => {
  using folder = mkdtempDisposableSync(join(tmpdir(), 'kscrape-init-'))
  const path = join(folder.path, 'job.yaml')
  const text = jobFile('https://shop.example/')
  const [head, ...rest] = text.split('\n\n')
  const suggested = [
    head,
    ...rest.map(part => part.replace(/^# (?=(include|exclude|extract| ).*)/gm, '')),
  ].join('\n\n')
  for (const version of [text, suggested]) {
    writeFileSync(path, version)
    const spec = specFromFile(path)
    assert.deepEqual(spec.seedUrls, ['https://shop.example/'])
    assert.equal('extract' in spec, version === suggested)
  }
})

test('an existing file is replaced only with --force', async () => {
  using folder = mkdtempDisposableSync(join(tmpdir(), 'kscrape-init-'))
  const path = join(folder.path, 'job.yaml')
  writeFileSync(path, 'mine')
  await assert.rejects(writeJobFile(path, { url: 'https://a.example/' }), /it already exists; .*--force/)
  assert.equal(readFileSync(path, 'utf8'), 'mine')
  await writeJobFile(path, { url: 'https://a.example/', force: true })
  assert.match(readFileSync(path, 'utf8'), /https:\/\/a\.example\//)
})
