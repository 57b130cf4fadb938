// docs/security.md promises a defence in every row of its threat table. Each row has a test file here, and each file has a row.
import assert from 'node:assert/strict'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'

const here = import.meta.dirname
const text = readFileSync(join(here, '../../docs/security.md'), 'utf8')

interface Promised {
  threat: string
  /** Test files of this folder, by name. */
  files: string[]
}

function promisesOf(document: string): Promised[] {
  const [, section = ''] = document.split('### Threats, defences and tests')
  const rows = section
    .split('\n## ')[0]!
    .split('\n')
    .filter(line => line.startsWith('| '))
  return rows.slice(2).map(row => {
    const cells = row.split(' | ')
    const files = [...cells.at(-1)!.matchAll(/`security\/([\w.-]+\.test\.ts)`/g)].map(([, name]) => name!)
    return { threat: cells[0]!.slice(2), files }
  })
}

const promises = promisesOf(text)
const files = readdirSync(here).filter(name => name.endsWith('.test.ts'))

test('every row of the threat table has a test file in test/security', () => {
  assert.ok(promises.length > 30, `${promises.length} rows`)
  const unproved = promises.filter(({ files: named }) => named.length === 0)
  assert.deepEqual(
    unproved.map(({ threat }) => threat),
    [],
  )
})

test('every test file that a row names exists and has tests', () => {
  const named = new Set(promises.flatMap(promise => promise.files))
  const isEmpty = (name: string) =>
    !files.includes(name) || !/\btest\(/.test(readFileSync(join(here, name), 'utf8'))
  assert.deepEqual([...named].filter(isEmpty), [])
})

/** The long and nightly test files belong to the same row as the quick file. */
const promiseName = (file: string): string => file.replace(/(\.long|\.nightly)?\.test\.ts$/, '')

test('every test file in test/security belongs to a row', () => {
  const named = new Set(promises.flatMap(promise => promise.files.map(promiseName)))
  const others = files.filter(name => name !== 'promises.test.ts' && !named.has(promiseName(name)))
  assert.deepEqual(others, [])
})

test('the check finds a row without a test file', () => {
  const broken = text.replace(/`security\/revoked-keys\.test\.ts`/, '`system/service/service-access.test.ts`')
  assert.notEqual(broken, text)
  assert.deepEqual(
    promisesOf(broken).flatMap(({ threat, files: named }) => (named.length === 0 ? [threat] : [])),
    ['A revoked key keeps a stream open'],
  )
})
