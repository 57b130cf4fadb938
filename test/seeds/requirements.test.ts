// Checks that each requirement of the seed documents (earlier specifications) has an existing test, or a row of the mapping table.
import assert from 'node:assert/strict'
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { parseSeed, type Seed, seeds } from './requirements.ts'

const root = join(import.meta.dirname, '../..')
const design = readFileSync(join(root, 'docs/product_design.md'), 'utf8')
/** Rows of the mapping table begin with their id: `| M-002-state | … |`. */
const mappingRows = [...design.matchAll(/^\| (M-\d{3}-[a-z0-9.-]+) \|/gm)].map(([, id]) => id!)

/** The titles of tests and suites as their files declare them. `…` stands for a value in a title. */
const titlesIn = (text: string): string[] =>
  [...text.matchAll(/\b(?:test|describe|it|suite)\(\s*(['"`])((?:\\.|(?!\1)[^\\])*)\1/gs)].map(
    ([, , title]) => title!.replace(/\\(.)/g, '$1').replace(/\$\{[^}]*\}/g, '…'),
  )

const known = new Map<string, string[] | null>()
function titlesOf(path: string): string[] | null {
  if (!known.has(path)) {
    const file = join(root, path)
    known.set(path, existsSync(file) ? titlesIn(readFileSync(file, 'utf8')) : null)
  }
  return known.get(path)!
}

const fits = (title: string, wanted: string): boolean =>
  new RegExp(`^${wanted.split('…').map(RegExp.escape).join('.*')}$`, 's').test(title)

/** Returns the problem with a reference, or null if the reference is valid. */
function brokenReference(shownBy: string): string | null {
  if (shownBy.startsWith('mapping '))
    return mappingRows.includes(shownBy.slice(8)) ? null : 'no such row in docs/product_design.md'
  const [path = '', wanted = ''] = shownBy.split(/: (.*)/s)
  if (!path.endsWith('.test.ts')) return 'neither "FILE.test.ts: TITLE" nor "mapping ID"'
  const titles = titlesOf(path)
  if (titles === null) return 'no such file'
  const isNamed = /[\p{L}\d]/u.test(wanted.replaceAll('…', ''))
  return isNamed && titles.some(title => fits(title, wanted)) ? null : 'no test with this title in that file'
}

const problemsOf = ({ seed, lines, requirements }: Seed): string[] => {
  const answered = new Set(requirements.flatMap(requirement => requirement.lines))
  const asked = new Set(lines)
  return [
    ...lines.filter(line => !answered.has(line)).map(line => `${seed}, line ${line}: nothing answers it`),
    ...[...answered].filter(line => !asked.has(line)).map(line => `${seed}, line ${line}: asks for nothing`),
    ...requirements.flatMap(({ says, shownBy }) => {
      const why = brokenReference(shownBy)
      return why === null ? [] : [`${seed}, ${says}: ${shownBy}: ${why}`]
    }),
  ]
}

test('each line of a seed document with a requirement has an existing test or a row of the mapping table', () => {
  assert.deepEqual(seeds.flatMap(problemsOf), [])
})

test('each of the five seeds has its requirements', () => {
  assert.deepEqual(
    seeds.map(({ seed }) => seed),
    ['000', '001', '002', '003', '004'],
  )
  for (const { seed, lines, requirements } of seeds) {
    assert.ok(lines.length > 60, seed)
    assert.ok(requirements.length > 25, seed)
    assert.deepEqual(
      lines,
      lines.toSorted((one, other) => one - other),
    )
  }
})

test('each row of the mapping table is used by a requirement', () => {
  const used = new Set(seeds.flatMap(({ requirements }) => requirements.map(({ shownBy }) => shownBy)))
  assert.deepEqual(
    mappingRows.filter(id => !used.has(`mapping ${id}`)),
    [],
  )
})

test('the check finds a line without a row, a missing file, a missing title and a title in a comment', () => {
  const own = 'test/seeds/requirements.test.ts'
  const seed = parseSeed(
    '009',
    `The lines of the seed document that ask for something: 1-3.

| lines | the seed asks for | shown by |
| --- | --- | --- |
| 1 | good | ${own}: each of the five seeds … |
| 1 4 | no file | test/nowhere.test.ts: a title |
| 3 | a comment | ${own}: Every line of a seed that asks for something is answered |
| 3 | no row | mapping M-009-none |
`,
  )
  assert.deepEqual(problemsOf(seed), [
    '009, line 2: nothing answers it',
    '009, line 4: asks for nothing',
    '009, no file: test/nowhere.test.ts: a title: no such file',
    `009, a comment: ${own}: Every line of a seed that asks for something is answered: no test with this title in that file`,
    '009, no row: mapping M-009-none: no such row in docs/product_design.md',
  ])
})
