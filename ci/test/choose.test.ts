// Tests which files the tiers and words of the command line choose, and which seed a run gets.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { choose } from './choose.ts'
import { fixedSeed, type Options, readOptions } from './options.ts'

const all = ['src/a.test.ts', 'test/b.long.test.ts', 'test/system/c.nightly.test.ts', 'test/system/d.test.ts']

const options = (...given: string[]): Options => {
  const read = readOptions(given, () => 99)
  if (typeof read === 'string') throw new Error(read)
  return read
}
const chosen = (given: string[], changed: string[] = []) => choose(all, options(...given), changed).files

test('each tier includes all faster tiers, and slow files start first', () => {
  assert.deepEqual(chosen([]), ['test/system/d.test.ts', 'src/a.test.ts'])
  assert.deepEqual(chosen(['--long']), ['test/b.long.test.ts', 'test/system/d.test.ts', 'src/a.test.ts'])
  assert.deepEqual(chosen(['--all'])[0], 'test/system/c.nightly.test.ts')
  assert.equal(chosen(['--all']).length, all.length)
})

test('a nightly file runs if the code that it covers changed; all other nightly files are listed as not run', () => {
  const nightly = 'test/system/c.nightly.test.ts'
  assert.ok(choose(all, options('--long', '--changed'), [nightly]).files.includes(nightly))
  assert.deepEqual(choose(all, options('--long', '--changed'), []).leftOut, [nightly])
  assert.deepEqual(choose(all, options(), []).leftOut, [])
})

test('a word selects quick and long files; it selects nightly files only with --all, or if it contains "nightly"', () => {
  assert.deepEqual(chosen(['test/']), ['test/b.long.test.ts', 'test/system/d.test.ts'])
  assert.deepEqual(chosen(['system/', '--all']), ['test/system/c.nightly.test.ts', 'test/system/d.test.ts'])
  assert.deepEqual(chosen(['test/system/c.nightly.test.ts']), ['test/system/c.nightly.test.ts'])
  assert.deepEqual(chosen(['nothing']), [])
})

test('without a given seed, a run of all tests has a random seed, and other runs have a fixed seed', () => {
  assert.equal(options('--all').seed, 99)
  assert.equal(options('--long').seed, fixedSeed)
  assert.equal(options('--all', '--seed=5').seed, 5)
  assert.match(String(readOptions(['--seed=x'], () => 1)), /seed "x" is not a whole number/)
})

test('flags that the runner does not know are passed to node', () => {
  assert.deepEqual(options('--long', '--seed=5', 'word', '--test-name-pattern=x').flags, [
    '--test-name-pattern=x',
  ])
})
