// A finished crawl for the tests of re-extraction, and functions that check its store afterwards.
import assert from 'node:assert/strict'
import { writeFile } from 'node:fs/promises'
import type { TestSite } from '../../site/index.ts'
import type { Workplace } from '../run-cli.ts'

export const quick = (site: TestSite) => [
  '--rate',
  'unlimited',
  '--allow-private',
  `${site.host}:${site.port}`,
  '--quiet',
]
export const rules = 'fields:\n  heading: h1\n  nothing: .not-there\n'

/** A finished crawl of some pages, and the rules to run over them. */
export async function crawled(
  site: TestSite,
  place: Workplace,
  pages = 30,
  flags: string[] = [],
): Promise<void> {
  await writeFile(place.file('rules.yaml'), rules)
  const { code, stderr } = await place.run([
    ...[
      'crawl',
      `${site.url}/`,
      ...quick(site),
      '--max-pages',
      String(pages),
      '-o',
      'out.jsonl',
      '--job',
      'site',
    ],
    ...flags,
  ])
  assert.equal(code, 0, stderr)
}

export const countsOf = async (place: Workplace) =>
  JSON.parse((await place.run(['jobs', 'show', 'site', '--json'])).stdout).counts

export function checkStore(place: Workplace): void {
  using database = place.database()
  const one = (sql: string) => Object.values(database.prepare(sql).get() as Record<string, unknown>)[0]
  assert.equal(one('PRAGMA integrity_check'), 'ok')
  assert.equal(
    one('SELECT count(*) - count(DISTINCT n * 1000 + idx) FROM records'),
    0,
    'a record exists twice',
  )
  assert.equal(one('SELECT count(*) FROM reextractions'), 0, 'the work is not marked as done')
}
