// docs/policies.md is true: its examples run as they stand, its jobs are jobs, and no field of a policy is missing.
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { test } from 'node:test'
import { parse as parseYaml } from 'yaml'
import { parseDomainPolicies } from '../../src/config/domain-policies.ts'
import { settingsSchema } from '../../src/config/settings.ts'
import { leavesOf } from '../../src/model/given-policy.ts'
import { snake } from '../../src/model/letter-case.ts'
import { executionPolicy, limitNames } from '../../src/model/policy.ts'
import { parseJobBody } from '../../src/pipeline/submit-job.ts'
import { startTestSite } from '../site/index.ts'
import { Workplace } from './run-cli.ts'

const page = readFileSync(join(import.meta.dirname, '../../docs/policies.md'), 'utf8')
const blocks = (language: string): string[] =>
  [...page.matchAll(new RegExp(`\`\`\`${language}\\n(.*?)\`\`\``, 'gs'))].map(([, text]) => text!)

test('the examples of docs/policies.md run as they stand', { timeout: 240_000 }, async () => {
  await using site = await startTestSite()
  await using place = await Workplace.open()
  const here = (text: string) => text.replaceAll('127.0.0.1:8080', `${site.host}:${site.port}`)
  const [job, items] = blocks('yaml')
  await writeFile(place.file('urls.txt'), `${site.url}/about\n${site.url}/jobs\n`)
  await writeFile(place.file('job.yaml'), here(job!))
  await writeFile(place.file('items.yaml'), here(items!))
  const lines = blocks('sh').flatMap(block => block.trimEnd().split('\n'))
  assert.ok(lines.length >= 9)
  for (const line of lines) {
    const { code, stderr } = await place.run(here(line).split(' ').slice(1))
    // A limit of one page stops a list of two: that is what it is for.
    assert.equal(code, line.includes('--limit pages=1 ') ? 4 : 0, `${line}\n${stderr}`)
  }
})

test('the jobs, the domain and the ceilings that are shown are accepted', () => {
  const [job, items, domain] = blocks('yaml')
  for (const text of [job!, items!]) {
    const { output, ...body } = parseYaml(text)
    parseJobBody(body)
  }
  parseDomainPolicies(domain!, 'domain_policies.yaml')
  const [setting] = blocks('text')
  const { ceilings } = settingsSchema.parse({ ceilings: setting!.slice(setting!.indexOf('=') + 1) })
  assert.equal(ceilings?.retries?.attempts, 5)
})

test('docs/policies.md names every field of a policy with its default', () => {
  const lines = page.split('\n')
  const rowOf = (path: string) => lines.find(line => line.startsWith(`| \`${path}\` |`))
  const elsewhere = /^(browser|proxy|identity)\./
  const leaves = leavesOf(executionPolicy.parse({})).filter(([path]) => !elsewhere.test(path))
  const written = ([path]: [string, unknown]) => path.split('.').map(snake).join('.')
  assert.deepEqual(
    leaves.map(written).filter(path => !rowOf(path)),
    [],
  )
  const wrong = leaves.filter(leaf => !rowOf(written(leaf))!.includes(String(leaf[1])))
  assert.deepEqual(wrong, [])
  for (const name of limitNames) assert.ok(rowOf(`limits.${snake(name)}`), name)
})
