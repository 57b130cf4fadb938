// What is written about the program is checked against the program: generated pages, links, versions.
import assert from 'node:assert/strict'
import { existsSync, globSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import test from 'node:test'
import { parseEnv } from 'node:util'
import { environmentExample, settingsPage } from '../ci/settings-docs.ts'
import { policyFields, writeFields } from '../src/config/domain-policy-fields.ts'
import { describeSettings, settingsSchema } from '../src/config/settings.ts'
import { hostPolicy } from '../src/model/policy.ts'

const root = join(import.meta.dirname, '..')
const read = (path: string): string => readFileSync(join(root, path), 'utf8')

test('docs/settings.md says what the settings are now', () => {
  assert.equal(read('docs/settings.md'), settingsPage(), 'run `npm run docs`')
})

test('.env.example says what the settings are now', () => {
  assert.equal(read('.env.example'), environmentExample(), 'run `npm run docs`')
})

test('the values in .env.example, uncommented, are the defaults', () => {
  const uncommented = environmentExample().replaceAll(/^# (?=[A-Z_]+=.)/gm, '')
  const variables = parseEnv(uncommented)
  const given = describeSettings().flatMap(({ name, env }) =>
    env in variables ? [[name, variables[env]]] : [],
  )
  assert.ok(given.length > 5)
  assert.deepEqual(settingsSchema.parse(Object.fromEntries(given)), settingsSchema.parse({}))
})

test('links between documents lead somewhere', () => {
  const pages = globSync(['*.md', 'docs/**/*.md', 'examples/**/*.md', 'bench/*.md'], { cwd: root })
  const broken = pages.flatMap(page =>
    [...read(page).matchAll(/\]\((?!https?:|mailto:|#)([^)#\s]+)/g)]
      .map(([, target]) => target!)
      .filter(target => !existsSync(join(root, dirname(page), target)))
      .map(target => `${page} → ${target}`),
  )
  assert.deepEqual(broken, [])
})

test('every page in docs/decisions says context, choice and what was given up', () => {
  const pages = globSync('docs/decisions/*.md', { cwd: root })
  const headings = ['## Context', '## Choice', '## What we gave up']
  const lacking = pages.flatMap(page =>
    headings.filter(heading => !read(page).includes(`\n${heading}\n`)).map(heading => `${page}: ${heading}`),
  )
  assert.ok(pages.length > 0)
  assert.deepEqual(lacking, [])
})

test('docs/politeness.md names every key of domain_policies.yaml with its default', () => {
  const [, reference] = read('docs/politeness.md').split('\n## domain_policies.yaml\n')
  const lines = reference!.split('\n')
  const inForce = Object.entries(writeFields(hostPolicy.parse({})))
  const rowOf = (key: string) => lines.find(line => line.startsWith(`| \`${key}\``))
  assert.deepEqual(
    Object.keys(policyFields).filter(key => !rowOf(key)),
    [],
  )
  // A minute is written both ways.
  const says = (key: string, value: unknown) =>
    rowOf(key)!.replaceAll('60s', '60s, 1m').includes(String(value))
  const wrong = inForce.flatMap(([key, value]) =>
    (typeof value === 'object' ? Object.values(value!) : [value])
      .filter(one => !says(key, one))
      .map(one => `${key}: ${one}`),
  )
  assert.deepEqual(wrong, [])
})
