// The key files while a seal key is replaced.
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

test('a rotation that is interrupted after the exchange leaves both keys', () => {
  write(sealKeyName, 'old')
  exchangeKeys(folder)
  const fresh = textOf(sealKeyName)
  exchangeKeys(folder)
  assert.equal(textOf(sealKeyName), fresh)
  assert.equal(readFileSync(join(folder, oldKeyName), 'utf8'), 'old')
})

test('after a rotation that was interrupted before the exchange, the next one creates a new key and ignores the draft', () => {
  write(sealKeyName, 'old')
  write(oldKeyName, 'old')
  write(`${sealKeyName}.new`, 'half')
  exchangeKeys(folder)
  assert.equal(readFileSync(join(folder, oldKeyName), 'utf8'), 'old')
  assert.notEqual(readFileSync(join(folder, sealKeyName), 'utf8'), 'old')
  assert.notEqual(readFileSync(join(folder, sealKeyName), 'utf8'), 'half')
})
