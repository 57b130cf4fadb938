// Checks the documents against the program: generated pages, links, and the names that they contain.
import assert from 'node:assert/strict'
import { existsSync, globSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import test from 'node:test'
import { parseEnv } from 'node:util'
import { commandsOf, hiddenCommands, scriptOf } from '../ci/docs-check/commands.ts'
import { countLinks, deadLinks, reachedFrom } from '../ci/docs-check/links.ts'
import { readPages } from '../ci/docs-check/markdown.ts'
import { environmentExample, settingsPage } from '../ci/settings-docs.ts'
import { policyFields, writeFields } from '../src/config/domain-policy-fields.ts'
import { describeSettings, settingsSchema } from '../src/config/settings.ts'
import { failures } from '../src/model/failures.ts'
import { hostPolicy } from '../src/model/policy/policy.ts'

const root = join(import.meta.dirname, '..')
const read = (path: string): string => readFileSync(join(root, path), 'utf8')

test('docs/settings.md matches the settings', () => {
  assert.equal(read('docs/settings.md'), settingsPage(), 'run `npm run docs`')
})

test('.env.example matches the settings', () => {
  assert.equal(read('.env.example'), environmentExample(), 'run `npm run docs`')
})

test('if the lines of .env.example are uncommented, their values are the defaults', () => {
  const uncommented = environmentExample().replaceAll(/^# (?=[A-Z_]+=.)/gm, '')
  const variables = parseEnv(uncommented)
  const given = describeSettings().flatMap(({ name, env }) =>
    env in variables ? [[name, variables[env]]] : [],
  )
  assert.ok(given.length > 5)
  assert.deepEqual(settingsSchema.parse(Object.fromEntries(given)), settingsSchema.parse({}))
})

const pages = readPages()

test('links between documents are valid, including headings', () => {
  assert.ok(countLinks(pages) > 200)
  assert.deepEqual(deadLinks(pages), [])
})

test('broken links are found: a file, a heading, a path out of the project', () => {
  const page = (path: string, text: string) => ({ path, text })
  const target = page('docs/cli.md', '# The command line\n\n## One page: `scrape`\n')
  const links =
    '[a](cli.md#one-page-scrape) [b](cli.md#two-pages) [c](nowhere.md) [d](../../etc/passwd) `[e](code.md)`'
  assert.deepEqual(deadLinks([page('docs/new.md', `# New\n\n${links}\n`), target]), [
    'docs/new.md:3 → cli.md#two-pages: docs/cli.md has no heading "two-pages"',
    'docs/new.md:3 → nowhere.md: not there',
    'docs/new.md:3 → ../../etc/passwd: leads out of the project',
  ])
})

test('ARCHITECTURE.md fits on one page', () => {
  assert.ok(read('ARCHITECTURE.md').split('\n').length <= 80, 'move details to the README of a folder')
})

test('ARCHITECTURE.md and the READMEs in src/ name files and folders that exist', () => {
  const maps = pages.filter(({ path }) => path === 'ARCHITECTURE.md' || path.startsWith('src/'))
  assert.ok(maps.length > 3)
  const named = maps.flatMap(({ path, text }) =>
    [...text.matchAll(/`((?:[a-z][\w-]*\/)+|(?:[\w-]+\/)*[\w-]+\.ts)`/g)].map(([, file]) => ({
      path,
      file: file!,
    })),
  )
  // These paths are in a data directory, not in the repository.
  const isData = (file: string) => file.startsWith('blobs/')
  const places = (path: string) => [dirname(path), 'src', '.']
  assert.deepEqual(
    named.filter(
      ({ path, file }) => !isData(file) && !places(path).some(place => existsSync(join(root, place, file))),
    ),
    [],
  )
})

test('every block of commands either runs or says why it does not', () => {
  assert.deepEqual(pages.flatMap(hiddenCommands), [])
  const reasons = pages.flatMap(page => commandsOf(scriptOf(page)).flatMap(({ reason }) => reason ?? []))
  assert.deepEqual(
    reasons.filter(reason => reason.length < 5),
    [],
  )
})

test('docs/troubleshooting.md names every failure code and no others', () => {
  const text = read('docs/troubleshooting.md')
  const codes = Object.keys(failures)
  const areas = new Set(codes.map(code => code.split('.')[0]))
  const named = [...text.matchAll(/`([a-z]+\.[a-z-]+)`/g)].map(([, code]) => code!)
  const missing = codes.filter(code => !text.includes(`\`${code}\``) && !text.includes(`: ${code}\``))
  assert.deepEqual(missing, [])
  const elsewhere = ['limit', 'waste', 'policy']
  const isCode = (name: string) => areas.has(name.split('.')[0]!) && !elsewhere.includes(name.split('.')[0]!)
  assert.deepEqual(
    named.filter(name => isCode(name) && !codes.includes(name)),
    [],
  )
})

test('docs/security.md names tests that exist, and every secret setting', () => {
  const text = read('docs/security.md')
  const named = [...text.matchAll(/`([\w-]+(?:\/[\w-]+)*\.test\.ts)`/g)].map(([, path]) => path!)
  assert.ok(named.length > 15)
  assert.deepEqual(
    named.filter(
      path =>
        globSync(path.replace('.test.ts', '{,.long,.nightly}.test.ts'), { cwd: join(root, 'test') })
          .length === 0,
    ),
    [],
  )
  const secret = describeSettings().filter(({ env }) => /(KEY|SECRET|PASSWORD|ZONES|_URL)$/.test(env))
  const harmless =
    /SCRAPER_(PUBLIC|WEBHOOK|CREDENTIALS|LLM_BASE|OPENSEARCH|SEARXNG|SQS_QUEUE|SQS_DEAD_LETTER)_URL/
  const missing = secret.map(({ env }) => env).filter(env => !harmless.test(env) && !text.includes(env))
  assert.deepEqual(missing, [])
})

test('docs/stack.md has a reason for each package', () => {
  const text = read('docs/stack.md')
  const { dependencies, devDependencies } = JSON.parse(read('package.json')) as Record<
    string,
    Record<string, string>
  >
  const packages = Object.keys({ ...dependencies, ...devDependencies })
  const named = new Set([...text.matchAll(/(?:@[\w-]+\/)?[\w-]+/g)].map(([word]) => word))
  assert.deepEqual(
    packages.filter(name => !named.has(name)),
    [],
  )
})

test('every documented metric exists', () => {
  const known = read('docs/metrics.md')
  const named = pages
    .filter(({ path }) => path.startsWith('docs/'))
    .flatMap(({ path, text }) => [...text.matchAll(/\bkscrape_[a-z_]+/g)].map(([name]) => ({ path, name })))
  // kscrape_guarded is a role in PostgreSQL, not a metric.
  const isOther = (name: string) => name === 'kscrape_guarded'
  assert.deepEqual(
    named.filter(({ name }) => !isOther(name) && !known.includes(name.replace(/_(bucket|count|sum)$/, ''))),
    [],
  )
})

test('every page of docs/ can be reached from the README', () => {
  const reached = reachedFrom(pages, 'README.md')
  const lost = pages.filter(({ path }) => path.startsWith('docs/') && !reached.has(path))
  assert.deepEqual(
    lost.map(({ path }) => path),
    [],
  )
})

test('every guide ends with a check list and one command that verifies it', () => {
  const guides = pages.filter(({ path }) =>
    /^docs\/(deploy\/.*|upgrade|tuning|tracing|troubleshooting|load-testing|backup.*)\.md$/.test(path),
  )
  assert.ok(guides.length >= 6)
  const lacking = guides.filter(page => {
    const [, end] = page.text.split(/^## Check list$/m)
    if (end === undefined || /^## /m.test(end)) return true
    return !/^- \[ \] /m.test(end) || !/^```sh|^One command .*`.+`/m.test(end)
  })
  assert.deepEqual(
    lacking.map(({ path }) => path),
    [],
  )
})

test('every page in docs/decisions names the context, the decision and its drawbacks', () => {
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
  // A duration of one minute may be written as 60s or 1m.
  const says = (key: string, value: unknown) =>
    rowOf(key)!.replaceAll('60s', '60s, 1m').includes(String(value))
  const wrong = inForce.flatMap(([key, value]) =>
    (typeof value === 'object' ? Object.values(value!) : [value])
      .filter(one => !says(key, one))
      .map(one => `${key}: ${one}`),
  )
  assert.deepEqual(wrong, [])
})
