// Tests that each failed file runs once more, alone.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { runAll } from './run-all.ts'
import type { FileRun } from './run-file.ts'

/** Each file with the states of its runs, in order. */
function fakeRuns(states: Record<string, Array<'passed' | 'failed'>>) {
  const log: string[] = []
  let open = 0
  const run = async (files: readonly string[]): Promise<FileRun[]> => Promise.all(files.map(runOne))
  const runOne = async (file: string): Promise<FileRun> => {
    log.push(`${file} beside ${open}`)
    open += 1
    await Promise.resolve()
    open -= 1
    const result = { name: 'a test', state: states[file]!.shift()!, about: '' }
    return { file, results: [result], output: '', seconds: 1, cpuSeconds: 1 }
  }
  return { run, log }
}

test('a file that fails and then passes on its own is flaky, and the run passes', async () => {
  const { run, log } = fakeRuns({ a: ['passed'], b: ['failed', 'passed'], c: ['passed'] })
  const told: string[] = []
  const outcome = await runAll([['a'], ['b'], ['c']], 2, run, ({ file }, isAgain) =>
    told.push(`${file} ${isAgain}`),
  )
  assert.deepEqual(
    outcome.runs.map(({ file, results }) => `${file} ${results[0]!.state}`),
    ['a passed', 'b passed', 'c passed'],
  )
  assert.deepEqual(
    outcome.flaky.map(({ file, results }) => `${file} ${results[0]!.state}`),
    ['b failed'],
  )
  assert.equal(log.at(-1), 'b beside 0')
  assert.equal(told.at(-1), 'b true')
})

test('a file that fails twice has failed and is not flaky', async () => {
  const { run } = fakeRuns({ a: ['failed', 'failed'], b: ['passed'] })
  const outcome = await runAll([['a'], ['b']], 2, run, () => {})
  assert.deepEqual(
    outcome.runs.map(({ results }) => results[0]!.state),
    ['failed', 'passed'],
  )
  assert.deepEqual(outcome.flaky, [])
})

test('if a run has only one file, a failure is not repeated, because the file already ran alone', async () => {
  const { run, log } = fakeRuns({ a: ['failed'] })
  await runAll([['a']], 2, run, () => {})
  assert.deepEqual(log, ['a beside 0'])
})

test('the runner runs as many files at the same time as it has lanes', async () => {
  const { run, log } = fakeRuns({ a: ['passed'], b: ['passed'], c: ['passed'] })
  await runAll([['a'], ['b'], ['c']], 2, run, () => {})
  assert.deepEqual(log.slice(0, 2), ['a beside 0', 'b beside 1'])
})
