// Tests that the scrapers of the examples pass their golden pages. This is not a nightly test, because extraction changes often.
import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { test } from 'node:test'
import { promisify } from 'node:util'

const root = join(import.meta.dirname, '../../..')
const run = promisify(execFile)

test('the scrapers of examples/five-scrapers pass their golden pages, without a site', async () => {
  const { stdout } = await run(join(root, 'kscrape'), ['scrapers', 'test', '--json'], {
    cwd: join(root, 'examples/five-scrapers'),
    env: { ...process.env, SCRAPER_TRUST: 'on' },
  }).catch((error: { stdout: string }) => error)
  const cases = stdout
    .trim()
    .split('\n')
    .map(line => JSON.parse(line) as { name: string; verdict: string })
  assert.deepEqual([...new Set(cases.map(({ name }) => name.split('/')[0]))].sort(), [
    'blog-post',
    'find-product',
    'product-rules',
    'shelf',
    'stock-list',
  ])
  assert.deepEqual(
    cases.filter(({ verdict }) => verdict !== 'same'),
    [],
  )
})
