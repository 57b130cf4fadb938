// Tests jobs in files: their formats, their outputs, and changes to an existing job.
import assert from 'node:assert/strict'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { after, test } from 'node:test'
import { jobOf } from '../../../test/support/job-values.ts'
import { bodyFromFile, changedSpec, specFromFile, specFromFlags } from './job-input.ts'
import { outputOf } from './output-of.ts'

const folder = mkdtempSync(join(tmpdir(), 'kscrape-job-input-'))
after(() => rmSync(folder, { recursive: true, force: true }))

function file(name: string, text: string): string {
  const path = join(folder, name)
  writeFileSync(path, text)
  return path
}

test('the file extension selects the output format, in any letter case', () => {
  assert.deepEqual(outputOf('Pages.CSV'), { path: resolve('Pages.CSV'), format: 'csv' })
  assert.deepEqual(outputOf('-'), { path: '-', format: 'jsonl' })
  assert.throws(() => outputOf('pages.docx'), { code: 'input.invalid', message: /pages\.docx.*\.csv/ })
})

test('a job file is YAML or JSON, and its outputs may be plain paths', () => {
  const yaml = file('job.yaml', 'seed_urls: [https://a.example/]\nmax_pages: 3\noutput: out.csv\n')
  const spec = specFromFile(yaml)
  assert.deepEqual([spec.seedUrls, spec.maxPages], [['https://a.example/'], 3])
  assert.deepEqual(spec.output, [{ path: resolve('out.csv'), format: 'csv' }])
  const json = file('job.json', '{"urls":["https://a.example/"],"output":[{"path":"x","format":"jsonl"}]}')
  assert.deepEqual(specFromFile(json).output, [{ path: resolve('x'), format: 'jsonl' }])
})

test('flags win over the file, field by field', () => {
  const path = file('both.yaml', 'urls: [https://a.example/]\npolicy: {host: {rate: 1}, robots: obey}\n')
  const { policy } = specFromFile(path, { policy: { robots: 'ignore' } })
  assert.deepEqual([policy.host?.rate, policy.robots], [1, 'ignore'])
})

test('the error for a job file that is empty, or neither YAML nor JSON, names the file', () => {
  const list = file('list.yaml', '- a\n- b\n')
  assert.throws(() => bodyFromFile(list, 'job', 'a: 1'), {
    code: 'input.invalid',
    message: /list\.yaml is not a job/,
  })
  const broken = file('broken.yaml', 'a: [1\nb: {')
  assert.throws(() => bodyFromFile(broken, 'job', 'a: 1'), {
    message: /broken\.yaml is neither YAML nor JSON/,
  })
})

test('rules of a rules file replace the rules in the job', () => {
  const rules = file('rules.yaml', 'fields:\n  title: {css: h1}\n')
  const spec = specFromFlags({ urls: ['https://a.example/'] }, rules)
  assert.deepEqual(Object.keys(spec.extract?.fields ?? {}), ['title'])
})

test('a change of a job replaces only the given fields, and an empty change leaves the job unchanged', () => {
  const { spec } = jobOf({ spec: { maxPages: 5, policy: { host: { rate: 1 } } } })
  assert.equal(changedSpec(spec, {}), spec)
  const changed = changedSpec(spec, { policy: { retries: { attempts: 0 } } })
  assert.deepEqual([changed.maxPages, changed.policy.host?.rate], [5, 1])
  assert.equal(changed.policy.retries?.attempts, 0)
  assert.equal(changed.policyFrom?.['retries.attempts'], 'job')
})
