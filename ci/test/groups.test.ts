// Tests which test files share a process.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { groupsOf } from './groups.ts'

const plain = () => `test('good', () => {})`

test('quick files of one folder and its subfolders share a process; long and nightly files run alone', () => {
  const files = [
    ...['test/system/a.long.test.ts', 'test/system/b.nightly.test.ts', 'test/system/c.test.ts'],
    ...['src/fetch/a.test.ts', 'src/jobs/a.test.ts', 'src/fetch/http/b.test.ts', 'test/system/d.test.ts'],
  ]
  assert.deepEqual(groupsOf(files, plain), [
    ['test/system/a.long.test.ts'],
    ['test/system/b.nightly.test.ts'],
    ['test/system/c.test.ts', 'test/system/d.test.ts'],
    ['src/fetch/a.test.ts', 'src/fetch/http/b.test.ts'],
    ['src/jobs/a.test.ts'],
  ])
})

test('a group has at most 24 files, so that every core has work until the end of the run', () => {
  const files = Array.from({ length: 30 }, (_, index) => `src/fetch/${index}.test.ts`)
  assert.deepEqual(
    groupsOf(files, plain).map(group => group.length),
    [24, 6],
  )
  assert.deepEqual(groupsOf(files, plain).flat(), files)
})

for (const text of [
  `process.env.HOME = '/tmp'`,
  `process.on('exit', () => {})`,
  `mock.method(Date, 'now')`,
  `process.memoryUsage().rss`,
])
  test(`a file that has ${text} runs in its own process`, () => {
    const textOf = (file: string) => (file.includes('b') ? text : plain())
    assert.deepEqual(groupsOf(['src/a.test.ts', 'src/b.test.ts', 'src/c.test.ts'], textOf), [
      ['src/a.test.ts', 'src/c.test.ts'],
      ['src/b.test.ts'],
    ])
  })
