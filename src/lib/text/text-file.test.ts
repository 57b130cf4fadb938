// Tests the messages about a file that cannot be read.
import assert from 'node:assert/strict'
import { mkdtempDisposableSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { readTextFile } from './text-file.ts'

test('the error for a missing file suggests a file with a similar name in the same folder', () => {
  using folder = mkdtempDisposableSync(join(tmpdir(), 'kscrape-file-'))
  writeFileSync(join(folder.path, 'rules.yaml'), 'fields: {}')
  assert.equal(readTextFile(join(folder.path, 'rules.yaml')), 'fields: {}')
  assert.throws(() => readTextFile(join(folder.path, 'rules.yml')), {
    code: 'input.invalid',
    message: `${join(folder.path, 'rules.yml')} can't be read: there is no such file (did you mean "${join(folder.path, 'rules.yaml')}"?)`,
  })
})

test('no name is suggested if none is similar or the folder is missing', () => {
  using folder = mkdtempDisposableSync(join(tmpdir(), 'kscrape-file-'))
  for (const path of [join(folder.path, 'rules.yml'), join(folder.path, 'no/rules.yml')])
    assert.throws(() => readTextFile(path), { message: `${path} can't be read: there is no such file` })
  assert.throws(() => readTextFile(folder.path), { message: `${folder.path} can't be read: it is a folder` })
})
