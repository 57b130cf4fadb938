// Tests the key files while a seal key is replaced.
import assert from 'node:assert/strict'
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, test } from 'node:test'
import { oldKeyName, sealKeyName } from '../../adapters/fs/sealer.ts'
import { exchangeKeys } from './rotate-seal.ts'

let folder: string
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'kscrape-seal-'))
})
afterEach(() => rm(folder, { recursive: true }))
const textOf = (name: string) => readFileSync(join(folder, name)).toString('hex')
const write = (name: string, text: string) => writeFileSync(join(folder, name), text)

test('without a seal key there is nothing to rotate', () => {
  exchangeKeys(folder)
  assert.equal(existsSync(join(folder, sealKeyName)), false)
})

test('a rotation stores the old seal key beside the new one', () => {
  write(sealKeyName, 'old')
  exchangeKeys(folder)
  assert.equal(readFileSync(join(folder, oldKeyName), 'utf8'), 'old')
  assert.notEqual(readFileSync(join(folder, sealKeyName), 'utf8'), 'old')
})

test('if a rotation is interrupted after it exchanged the keys, the next run keeps both keys', () => {
  write(sealKeyName, 'old')
  exchangeKeys(folder)
  const fresh = textOf(sealKeyName)
  exchangeKeys(folder)
  assert.equal(textOf(sealKeyName), fresh)
  assert.equal(readFileSync(join(folder, oldKeyName), 'utf8'), 'old')
})

test('if a rotation stopped before it exchanged the keys, the next rotation ignores the unused key and creates another', () => {
  write(sealKeyName, 'old')
  write(oldKeyName, 'old')
  write(`${sealKeyName}.new`, 'half')
  exchangeKeys(folder)
  assert.equal(readFileSync(join(folder, oldKeyName), 'utf8'), 'old')
  assert.notEqual(readFileSync(join(folder, sealKeyName), 'utf8'), 'old')
  assert.notEqual(readFileSync(join(folder, sealKeyName), 'utf8'), 'half')
})
