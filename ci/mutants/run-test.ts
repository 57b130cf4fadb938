// Runs one test file in a process group of its own, with a time limit.
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import type { Mutation } from './sites.ts'

export type Verdict = 'passed' | 'failed' | 'timed-out'

export interface TestRun {
  root: string
  test: string
  limitMs: number
  mutant?: Pick<Mutation, 'start' | 'end' | 'text'> & { file: string }
  coverageFolder?: string
}

const hook = pathToFileURL(join(import.meta.dirname, 'hook.ts')).href

/** Processes and threads that the test starts get the mutant as well: they inherit the environment. */
export async function runTest({ root, test, limitMs, mutant, coverageFolder }: TestRun): Promise<Verdict> {
  const { start, end, text, file } = mutant ?? {}
  const child = spawn(process.execPath, [test], {
    cwd: root,
    detached: true,
    stdio: 'ignore',
    env: {
      ...withoutSettings(process.env),
      NODE_OPTIONS: `--disable-warning=ExperimentalWarning --import=${hook}`,
      ...(file !== undefined && {
        MUTANT: JSON.stringify({ url: pathToFileURL(join(root, file)).href, start, end, text }),
      }),
      ...(coverageFolder !== undefined && { NODE_V8_COVERAGE: coverageFolder }),
    },
  })
  let isLate = false
  const late = setTimeout(() => {
    isLate = true
    endGroup(child.pid)
  }, limitMs)
  const [code] = (await once(child, 'exit')) as [number | null]
  clearTimeout(late)
  // A failed test may leave processes behind.
  endGroup(child.pid)
  return isLate ? 'timed-out' : code === 0 ? 'passed' : 'failed'
}

/** Neither the developer's settings nor an outer test run may change the test. */
const withoutSettings = (environment: NodeJS.ProcessEnv): NodeJS.ProcessEnv =>
  Object.fromEntries(
    Object.entries(environment).filter(
      ([name]) => !name.startsWith('SCRAPER_') && name !== 'KILLPOINT' && name !== 'NODE_TEST_CONTEXT',
    ),
  )

function endGroup(pid: number | undefined): void {
  try {
    if (pid !== undefined) process.kill(-pid, 'SIGKILL')
  } catch {
    // The process group has already ended.
  }
}
