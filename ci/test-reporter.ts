// Node's own spec report, with the counts at the very end and written as `# pass 12`, where people and scripts look for them.
import { Readable } from 'node:stream'
import { spec as Spec } from 'node:test/reporters'

/** A colour may stand before the mark. */
const countLine =
  /^(?:\u001b\[\d+m)*ℹ ((?:tests|suites|pass|fail|cancelled|skipped|todo|duration_ms) [\d.]+).*\n/gm

export default async function* report(events: AsyncIterable<unknown>): AsyncGenerator<string> {
  let counts = ''
  const keep = (_: string, count: string) => {
    counts += `# ${count}\n`
    return ''
  }
  for await (const text of Readable.from(events).pipe(new Spec())) yield String(text).replace(countLine, keep)
  yield `\n${counts}`
}
