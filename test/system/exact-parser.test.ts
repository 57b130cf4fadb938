// Tests that parse5 parses pages that the fast parser may misparse, and that the job counts them.
import assert from 'node:assert/strict'
import { writeFile } from 'node:fs/promises'
import { test } from 'node:test'
import { startTestSite } from '../site/index.ts'
import { Workplace } from './run-cli.ts'

test('parse5 parses a page with markup that breaks out of a formula, and the job counts such pages', async () => {
  await using site = await startTestSite()
  await using place = await Workplace.open()
  site.serve('/sound', '<!doctype html><title>sound</title><p class=x>one</p>')
  site.serve('/broken', '<!doctype html><title>broken</title><math><mi><p class=x>moved out</math>')
  await writeFile(place.file('urls.txt'), `${site.url}/sound\n${site.url}/broken\n`)
  await writeFile(place.file('rules.yaml'), 'fields: { before: "p.x" }\n')
  const own = [
    '--rate',
    'unlimited',
    '--allow-private',
    `${site.host}:${site.port}`,
    '--extract',
    'rules.yaml',
  ]
  const { code, stderr } = await place.run(['run', 'urls.txt', ...own, '-o', 'out.jsonl', '--job', 'exact'])
  assert.equal(code, 0, stderr)
  const { counts } = JSON.parse((await place.run(['jobs', 'show', 'exact', '--json'])).stdout)
  assert.equal(counts.exactly_parsed, 1, JSON.stringify(counts))
  const shown = (await place.run(['jobs', 'show', 'exact'])).stdout
  assert.match(shown, /1 page parsed by the exact parser/)
})
