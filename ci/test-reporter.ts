// Node's own spec report, with the slowest files and the counts at the very end, written as `# pass 12`, where people and scripts look for them.
import { relative } from 'node:path'
import { Readable } from 'node:stream'
import { spec as Spec } from 'node:test/reporters'

/** A colour may stand before the mark. */
const countLine =
  /^(?:\u001b\[\d+m)*ℹ ((?:tests|suites|pass|fail|cancelled|skipped|todo|duration_ms) [\d.]+).*\n/gm
const shownFiles = 12

interface TestEvent {
  type: string
  data?: { file?: string; duration_ms?: number }
}

interface FileTime {
  file: string
  seconds: number
}

export default async function* report(events: AsyncIterable<TestEvent>): AsyncGenerator<string> {
  let counts = ''
  const keep = (_: string, count: string) => {
    counts += `# ${count}\n`
    return ''
  }
  const times: FileTime[] = []
  for await (const text of Readable.from(timed(events, times)).pipe(new Spec()))
    yield String(text).replace(countLine, keep)
  yield `\n${slowest(times)}${counts}`
}

async function* timed(events: AsyncIterable<TestEvent>, times: FileTime[]): AsyncGenerator<TestEvent> {
  for await (const event of events) {
    const { file, duration_ms: ms } = event.data ?? {}
    if (event.type === 'test:summary' && file && ms !== undefined) times.push({ file, seconds: ms / 1_000 })
    yield event
  }
}

function slowest(times: FileTime[]): string {
  const longest = times.toSorted((a, b) => b.seconds - a.seconds).slice(0, shownFiles)
  const lines = longest.map(
    ({ file, seconds }) => `${seconds.toFixed(0).padStart(5)} s  ${relative('.', file)}\n`,
  )
  return lines.length > 1 ? `The slowest files:\n${lines.join('')}` : ''
}
