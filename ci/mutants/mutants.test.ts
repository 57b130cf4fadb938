// Tests the mutation run: which mutants it finds, which tests it runs for them, and what it reports.
import assert from 'node:assert/strict'
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { after, test } from 'node:test'
import { seededRandom } from '../../src/lib/seeded-random.ts'
import { type MutationRun, runMutants, shuffled } from './mutate.ts'
import { type ImportGraph, importsOf, relatedTests } from './related-tests.ts'
import { reportLines } from './report.ts'
import { describeMutation, mutationKinds, mutationsOf } from './sites.ts'

/** The kind of each mutation, followed by the mutated source. */
function mutated(source: string): string[] {
  return mutationsOf('file.ts', source).map(
    ({ kind, start, end, text }) => `${kind}: ${source.slice(0, start)}${text}${source.slice(end)}`,
  )
}

const flips: Array<[from: string, to: string[]]> = [
  ['const x = a === b', ['const x = a !== b']],
  ['const x = a < b', ['const x = a <= b']],
  ['const x = a >= b', ['const x = a > b']],
  ['const x = a && b', ['const x = ((a) || (b))']],
  ['const x = a ?? b', ['const x = ((a) && (b))']],
  ['const x = !a', ['const x = a']],
  ['const x = true', ['const x = false']],
  ['const x = a ? 1 : 2', ['const x = !(a) ? 1 : 2']],
  ['const x = a === b ? 1 : 2', ['const x = a !== b ? 1 : 2']],
  ['const x = !a ? 1 : 2', ['const x = a ? 1 : 2']],
]
for (const [from, to] of flips)
  test(`\`${from}\` has one mutant, in which its condition is inverted`, () => {
    assert.deepEqual(
      mutated(from),
      to.map(text => `condition: ${text}`),
    )
  })

test('a mutant removes an await, but the await of a returned promise has no mutant', () => {
  assert.deepEqual(mutated('const x = await f()'), ['await: const x = (f())'])
  assert.deepEqual(mutated('async function g() { return await f() }'), [
    'statement: async function g() { ; }',
  ])
})

test('each statement has a mutant without that statement, but declarations have none', () => {
  assert.deepEqual(mutated('const a = f()\na.b()\n'), ['statement: const a = f()\n;\n'])
  assert.deepEqual(mutated('function f() { throw new Error("no") }'), ['statement: function f() { ; }'])
})

test('types, directives and imports have no mutants', () => {
  assert.deepEqual(mutated("'use strict'\nimport a from './a.ts'\ntype A = true\nlet b: false | A\n"), [])
})

test('an expression inside a type assertion has mutants', () => {
  assert.deepEqual(mutated('const x = (a === b) as boolean'), ['condition: const x = (a !== b) as boolean'])
})

test('every mutant of a real file is valid TypeScript', () => {
  const source = readFileSync(join(import.meta.dirname, '../../src/dispatch/dispatcher.ts'), 'utf8')
  const mutations = mutationsOf('dispatcher.ts', source)
  assert.ok(mutations.length > 50)
  for (const { start, end, text } of mutations)
    mutationsOf('dispatcher.ts', source.slice(0, start) + text + source.slice(end))
})

test('the error for a file that cannot be parsed names the file', () => {
  assert.throws(() => mutationsOf('broken.ts', 'const = 1'), /broken\.ts cannot be parsed/)
})

test('the description of a mutant has its position and its change', () => {
  const source = 'f()\n  if (a <\n    b) g()\n'
  const [first, second] = mutationsOf('file.ts', source)
  assert.deepEqual([first?.line, first?.column], [1, 1])
  assert.equal(describeMutation(first!, source), 'delete `f()`')
  assert.deepEqual([second?.line, second?.column], [2, 7])
  assert.equal(describeMutation(second!, source), '`a < b` → `!(a < b)`')
})

test('a test belongs to the files that it imports, directly or through files of the same folder', () => {
  const graph: ImportGraph = new Map([
    ['src/dispatch/pace.ts', []],
    ['src/dispatch/table.ts', ['src/dispatch/pace.ts']],
    ['src/pipeline/coordinate/desk.ts', ['src/dispatch/table.ts']],
    ['src/dispatch/pace.test.ts', ['src/dispatch/pace.ts']],
    ['src/dispatch/table.test.ts', ['src/dispatch/table.ts']],
    ['src/dispatch/table.long.test.ts', ['src/dispatch/table.ts']],
    ['test/properties/pace.test.ts', ['src/dispatch/pace.ts']],
    ['src/pipeline/desk.test.ts', ['src/pipeline/coordinate/desk.ts']],
  ])
  assert.deepEqual(relatedTests(graph, 'src/dispatch/pace.ts'), [
    'src/dispatch/pace.test.ts',
    'src/dispatch/table.test.ts',
    'test/properties/pace.test.ts',
  ])
})

test('imports are resolved to paths, and each path is listed once', () => {
  const source = `import { a } from './a.ts'\nexport { b } from '../b.ts'\nawait import('./a.ts')\nimport 'node:fs'`
  assert.deepEqual(importsOf('src/x/file.ts', source), ['src/x/a.ts', 'src/b.ts'])
})

test('with the same seed, mutants have the same order, and each mutant occurs once', () => {
  const items = Array.from({ length: 50 }, (_, index) => index)
  const order = (seed: string) => shuffled(items, seededRandom(seed))
  assert.deepEqual(order('7'), order('7'))
  assert.notDeepEqual(order('7'), order('8'))
  assert.deepEqual(
    order('7').toSorted((a, b) => a - b),
    items,
  )
})

const root = mkdtempSync(join(tmpdir(), 'kscrape-mutants-test-'))
after(() => rmSync(root, { recursive: true, force: true }))

function write(path: string, text: string): void {
  mkdirSync(dirname(join(root, path)), { recursive: true })
  writeFileSync(join(root, path), text)
}

const adult = `export function mayEnter(age: number): boolean {
  if (age < 0) return unused()
  return age >= 18
}
const unused = (): boolean => 1 === Number('2')
`
const adultTest = `import assert from 'node:assert/strict'
import { test } from 'node:test'
import { mayEnter } from './adult.ts'
test('adults may enter', () => assert.equal(mayEnter(30), true))
test('children may not', () => assert.equal(mayEnter(3), false))
`

const runOf = (change: Partial<MutationRun> = {}): MutationRun => ({
  ...{ root, paths: ['src/door'], seed: '7', minutes: 5, sample: Number.POSITIVE_INFINITY, jobs: 2 },
  ...{ kinds: mutationKinds, tests: [], tell: () => {}, ...change },
})

test('a run lists killed, surviving and unreached mutants, and leaves the source files unchanged', async () => {
  write('package.json', '{"type":"module"}')
  write('src/door/adult.ts', adult)
  write('src/door/adult.test.ts', adultTest)
  const report = await runMutants(
    runOf({ paths: ['src/door/adult.ts:2', 'src/door/adult.ts:3', 'src/door/adult.ts:5'] }),
  )
  const lines = reportLines(report, '7', file => readFileSync(join(root, file), 'utf8'))
  assert.deepEqual(lines.slice(0, -1), [
    '',
    'Survived: tests execute the code, and none of them notices.',
    'src/door/adult.ts:2:7  `age < 0` → `age <= 0`',
    'src/door/adult.ts:3:10  `age >= 18` → `age > 18`',
    '',
    'Not reached: none of the tests executes the code.',
    'src/door/adult.ts:2:16  delete `return unused()`',
    "src/door/adult.ts:5:31  `1 === Number('2')` → `1 !== Number('2')`",
    '',
  ])
  assert.match(
    lines.at(-1)!,
    /^6 of 6 mutants tried in .* minutes, seed 7: 2 killed, 0 timed out, 2 survived, 2 not reached$/,
  )
  assert.equal(readFileSync(join(root, 'src/door/adult.ts'), 'utf8'), adult)
})

test('the report names each test that fails on the unchanged code, and no mutant is tested with that test', async () => {
  write('src/broken/code.ts', 'export const isOpen = (): boolean => true\n')
  write(
    'src/broken/code.test.ts',
    "import { isOpen } from './code.ts'\nif (isOpen()) throw new Error('always')\n",
  )
  const { failing, tried } = await runMutants(runOf({ paths: ['src/broken'] }))
  assert.deepEqual(failing, ['src/broken/code.test.ts'])
  assert.deepEqual(
    tried.map(({ fate }) => fate),
    ['not-reached'],
  )
})

test('--sample limits the number of mutants, and a path without source files is refused', async () => {
  write('src/sampled/code.ts', 'export const [a, b, c] = [true, true, true]\n')
  const { found, tried } = await runMutants(runOf({ paths: ['src/sampled'], sample: 2 }))
  assert.deepEqual([found, tried.length], [3, 2])
  await assert.rejects(runMutants(runOf({ paths: ['src/nowhere'] })), /no source files in src\/nowhere/)
})
