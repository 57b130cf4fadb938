// Shows the documents that are part of the program.
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { suggest } from '../../lib/text/suggest.ts'
import { Failure } from '../../model/failures.ts'
import { print } from '../print.ts'
import { table } from '../show/job-tables.ts'

/** The folder docs/, three folders above this one, both in a checkout and in the package. */
const folder = (): string => join(import.meta.dirname, '../../../docs')

export async function showDocs(topic: string | undefined): Promise<void> {
  const topics = topicsIn(folder())
  if (topic === undefined) {
    print(
      table(
        ['page', 'title'],
        topics.map(name => [name, titleOf(name)]),
      ),
    )
    return
  }
  const name = topic.replace(/\.md$/i, '').replace(/^docs\//, '')
  const found = topics.find(each => each === name) ?? topics.find(each => each.endsWith(`/${name}`))
  if (!found) throw unknownTopic(topic, topics)
  print(readFileSync(join(folder(), `${found}.md`), 'utf8').trimEnd())
}

const topicsIn = (path: string): string[] =>
  readdirSync(path, { recursive: true, encoding: 'utf8' })
    .filter(name => name.endsWith('.md'))
    .map(name => name.replaceAll('\\', '/').replace(/\.md$/, ''))
    .sort()

const titleOf = (name: string): string =>
  /^# (.+)$/m.exec(readFileSync(join(folder(), `${name}.md`), 'utf8'))?.[1] ?? ''

function unknownTopic(topic: string, topics: string[]): Failure {
  const meant = suggest(topic, topics)
  const hint = meant ? `did you mean \`kscrape docs ${meant}\`?` : '`kscrape docs` lists the pages'
  return new Failure('input.invalid', `there is no page "${topic}"; ${hint}`, { topic })
}
