// Tests docs/policies.md: its jobs are valid, and no field of a policy is missing.
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { parse as parseYaml } from 'yaml'
import { blocksOf } from '../../../ci/docs-check/markdown.ts'
import { parseDomainPolicies } from '../../../src/config/domain-policies.ts'
import { settingsSchema } from '../../../src/config/settings.ts'
import { snake } from '../../../src/model/letter-case.ts'
import { leavesOf } from '../../../src/model/policy/given-policy.ts'
import { executionPolicy, limitNames } from '../../../src/model/policy/policy.ts'
import { parseJobBody } from '../../../src/pipeline/submit/submit-job.ts'

const page = readFileSync(join(import.meta.dirname, '../../../docs/policies.md'), 'utf8')
const blocks = (wanted: string): string[] =>
  blocksOf({ path: 'docs/policies.md', text: page }).flatMap(({ language, text }) =>
    language === wanted ? [text] : [],
  )

test('the example jobs, the domain policy and the ceilings in docs/policies.md are accepted', () => {
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
