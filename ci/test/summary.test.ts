// Tests the summary at the end of a run, and the report files.
import assert from 'node:assert/strict'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import type { TestResult } from './reporter.ts'
import type { FileRun } from './run-file.ts'
import { rerunCommand, summaryOf, writeReport } from './summary.ts'

const fileRun = (file: string, results: TestResult[], seconds = 1): FileRun => ({
  ...{ file, results, seconds },
  ...{ output: '', cpuSeconds: seconds / 2 },
})
const passed = { name: 'good', state: 'passed', about: '' } as const
const failed = { name: 'suite > bad', state: 'failed', about: 'first line\nsecond line' } as const
const skipped = { name: 'later', state: 'skipped', about: 'needs Docker' } as const

const outcome = {
  runs: [fileRun('a.test.ts', [passed, failed], 130), fileRun('b.test.ts', [passed, skipped])],
  flaky: [fileRun('b.test.ts', [failed])],
}

test('a summary names slow, skipped, flaky and failed tests; its last line has only the counts', () => {
  const lines = summaryOf(outcome, { seed: 7, notRun: 'Not run: 3 nightly files.', seconds: 120 }).split('\n')
  assert.deepEqual(lines, [
    'Slowest files:',
    '  130 s (CPU 65 s)  a.test.ts',
    '    1 s (CPU 1 s)  b.test.ts',
    '',
    'Skipped (1):',
    '  b.test.ts: later: needs Docker',
    '',
    'Not run: 3 nightly files.',
    '',
    'Flaky: failed, then passed alone. Each one is a defect (1):',
    'flaky: b.test.ts, suite > bad, 7, first line',
    '',
    'Failed (1):',
    '  a.test.ts: suite > bad',
    '    first line',
    "    npm test -- a.test.ts --seed=7 --test-name-pattern='^suite bad$'",
    '',
    '2.0 min (CPU 66 s); seed 7; 2 files, 1 flaky',
    '2 passed, 1 failed, 1 skipped',
    '',
  ])
})

test('if no test was skipped, the last line of a run counts only passed and failed tests', () => {
  const text = summaryOf(
    { runs: [fileRun('a.test.ts', [passed])], flaky: [] },
    { seed: 1, notRun: '', seconds: 1 },
  )
  assert.deepEqual(text.trimEnd().split('\n').at(-1), '1 passed, 0 failed')
})

test('a rerun command quotes titles for the shell and for regular expressions', () => {
  assert.equal(
    rerunCommand('a.test.ts', "it's 1.5 (or $2)", 3),
    "npm test -- a.test.ts --seed=3 --test-name-pattern='^it'\\''s 1\\.5 \\(or \\$2\\)$'",
  )
  assert.equal(rerunCommand('a.test.ts', 'the whole file', 3), 'npm test -- a.test.ts --seed=3')
})

test('the report lists the files of the last run and the flaky tests of all runs', () => {
  const folder = mkdtempSync(join(tmpdir(), 'kscrape-report-'))
  try {
    for (let time = 0; time < 2; time += 1) writeReport(folder, outcome, 7, new Date(0))
    const { files } = JSON.parse(readFileSync(join(folder, 'files.json'), 'utf8'))
    assert.deepEqual(files[0], { file: 'a.test.ts', tests: 2, failed: true, seconds: 130, cpu_seconds: 65 })
    const flaky = readFileSync(join(folder, 'flaky.jsonl'), 'utf8').trim().split('\n')
    assert.equal(flaky.length, 2)
    assert.deepEqual(JSON.parse(flaky[0]!), {
      ...{ at: '1970-01-01T00:00:00.000Z', file: 'b.test.ts', test: 'suite > bad' },
      ...{ seed: 7, error: 'first line' },
    })
  } finally {
    rmSync(folder, { recursive: true })
  }
})
