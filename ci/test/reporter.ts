// Runs inside each test file's process: writes every test result as one line of JSON, for the runner.
import { join } from 'node:path'

export interface TestResult {
  /** The title of the test, preceded by the titles of the suites and tests around it. */
  name: string
  state: 'passed' | 'failed' | 'skipped'
  /** The reason of the skip, or the message of the error. */
  about: string
  /** The test file, if the process runs several files. */
  file?: string
}

interface TestEvent {
  type: string
  data: {
    name: string
    nesting: number
    skip?: string | boolean
    todo?: string | boolean
    details?: { type?: string; error?: Error & { failureType?: string; cause?: unknown } }
  }
}

/** The tests of each file are in a suite that has the name of the file. */
const isGroup = process.argv[1] === join(import.meta.dirname, 'group.ts')

export default async function* report(events: AsyncIterable<TestEvent>): AsyncGenerator<string> {
  const titles: string[] = []
  for await (const { type, data } of events) {
    if (type === 'test:start') titles.splice(data.nesting, Number.POSITIVE_INFINITY, data.name)
    const result = type === 'test:pass' || type === 'test:fail' ? resultOf(type, data, titles) : null
    if (result) yield `${JSON.stringify(result)}\n`
  }
}

function resultOf(type: string, data: TestEvent['data'], titles: readonly string[]): TestResult | null {
  const { error, type: kind } = data.details ?? {}
  const { name, about } = nameOf([...titles.slice(0, data.nesting), data.name])
  const postponed = data.skip ?? data.todo
  if (postponed !== undefined && postponed !== false)
    return { name, state: 'skipped', about: typeof postponed === 'string' ? postponed : '', ...about }
  if (type === 'test:pass') return kind === 'suite' ? null : { name, state: 'passed', about: '', ...about }
  // The failed test inside this suite is reported separately.
  if (error?.failureType === 'subtestsFailed') return null
  return { name: name || 'the whole file', state: 'failed', about: messageOf(error), ...about }
}

/** The name is empty for the suite of a whole file. */
function nameOf(titles: readonly string[]): { name: string; about: { file?: string } } {
  if (!isGroup) return { name: titles.join(' > '), about: {} }
  return { name: titles.slice(1).join(' > '), about: { file: titles[0]! } }
}

function messageOf(error: { message: string; cause?: unknown } | undefined): string {
  const cause = error?.cause
  if (cause instanceof Error) return cause.message || cause.name
  return typeof cause === 'string' ? cause : (error?.message ?? 'unknown error')
}
