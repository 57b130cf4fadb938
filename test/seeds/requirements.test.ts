// Every requirement of a seed is answered: by a test with that title, or by a row of the mapping table.
import assert from 'node:assert/strict'
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { sectionOf } from './requirement.ts'
import { requirements, seeds } from './requirements.ts'

const root = join(import.meta.dirname, '../..')
const design = readFileSync(join(root, 'docs/product_design.md'), 'utf8')
/** Rows of the mapping table begin with their id: `| M-002-1 | … |`. */
const mappingRows = [...design.matchAll(/^\| (M-\d{3}-[a-z0-9.-]+) \|/gm)].map(([, id]) => id!)

const texts = new Map<string, string>()
function textOf(path: string): string {
  const text = texts.get(path) ?? (existsSync(join(root, path)) ? readFileSync(join(root, path), 'utf8') : '')
  texts.set(path, text)
  return text
}

/** Null if the reference leads somewhere. */
function brokenReference(shownBy: string): string | null {
  if (shownBy.startsWith('mapping '))
    return mappingRows.includes(shownBy.slice(8)) ? null : 'no such row in docs/product_design.md'
  const [path = '', title = ''] = shownBy.split(/: (.*)/s)
  if (!path.endsWith('.test.ts')) return 'neither "FILE.test.ts: TITLE" nor "mapping ID"'
  const text = textOf(path)
  if (text === '') return 'no such file'
  return title !== '' && text.includes(title) ? null : 'no test with this title in that file'
}

test('each requirement names a test that exists or a row of the mapping table', () => {
  const broken = requirements.flatMap(({ id, shownBy }) => {
    const why = brokenReference(shownBy)
    return why === null ? [] : [`${id}: ${shownBy}: ${why}`]
  })
  assert.deepEqual(broken, [])
})

test('each section of a seed has a requirement, and ids are unique', () => {
  for (const { seed, sections, requirements: own } of seeds) {
    const covered = new Set(own.map(sectionOf))
    assert.deepEqual(
      sections.filter(section => !covered.has(section)),
      [],
      `sections of seed ${seed} without a requirement`,
    )
  }
  const ids = requirements.map(({ id }) => id)
  assert.deepEqual(
    ids.filter((id, index) => ids.indexOf(id) !== index),
    [],
  )
})

test('each of the five seeds has its requirements', () => {
  assert.deepEqual(
    seeds.map(({ seed }) => seed),
    ['000', '001', '002', '003', '004'],
  )
})

test('each row of the mapping table answers a requirement', () => {
  const used = new Set(requirements.map(({ shownBy }) => shownBy))
  assert.deepEqual(
    mappingRows.filter(id => !used.has(`mapping ${id}`)),
    [],
  )
})
