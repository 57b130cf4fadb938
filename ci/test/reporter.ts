// Runs inside each test file's process: writes every test result as one line of JSON, for the runner.

export interface TestResult {
  /** With the titles of the suites and tests around it. */
  name: string
  state: 'passed' | 'failed' | 'skipped'
  /** Why it was skipped, or the message of the error. */
  about: string
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
  const name = [...titles.slice(0, data.nesting), data.name].join(' > ')
  const postponed = data.skip ?? data.todo
  if (postponed !== undefined && postponed !== false)
    return { name, state: 'skipped', about: typeof postponed === 'string' ? postponed : '' }
  if (type === 'test:pass') return kind === 'suite' ? null : { name, state: 'passed', about: '' }
  // The test inside it that failed has its own line.
  if (error?.failureType === 'subtestsFailed') return null
  return { name, state: 'failed', about: messageOf(error) }
}

function messageOf(error: { message: string; cause?: unknown } | undefined): string {
  const cause = error?.cause
  if (cause instanceof Error) return cause.message || cause.name
  return typeof cause === 'string' ? cause : (error?.message ?? 'unknown error')
}
