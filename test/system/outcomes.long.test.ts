// Tests how tasks with misbehaving pages end: with the right reason, number of attempts and exit code.
import assert from 'node:assert/strict'
import { writeFile } from 'node:fs/promises'
import { test } from 'node:test'
import { startTestSite, type TestSite } from '../site/index.ts'
import { eventually } from '../support/eventually.ts'
import { Workplace } from './run-cli.ts'

const quick = (site: TestSite) => [
  '--rate',
  'unlimited',
  '--allow-private',
  `${site.host}:${site.port}`,
  '--quiet',
]

async function runList(
  site: TestSite,
  place: Workplace,
  paths: string[],
  flags: string[] = [],
): Promise<{
  code: number | null
  tasks: Array<{ url: string; state: string; reason: string; attempts: number }>
}> {
  await writeFile(place.file('urls.txt'), paths.map(path => `${site.url}${path}\n`).join(''))
  const { code } = await place.run([
    'run',
    'urls.txt',
    ...quick(site),
    ...flags,
    '-o',
    'out.jsonl',
    '--job',
    'list',
  ])
  const { stdout } = await place.run(['jobs', 'show', 'list', '--tasks', '--json'])
  const tasks = stdout
    .split('\n')
    .filter(Boolean)
    .map(line => JSON.parse(line))
  return { code, tasks }
}

const reasonsOf = (tasks: Array<{ url: string; reason: string }>) =>
  Object.fromEntries(tasks.map(task => [new URL(task.url).pathname, task.reason]))

test('each kind of failure has its own reason, and only temporary failures are retried', async () => {
  await using site = await startTestSite()
  await using place = await Workplace.open()
  const paths = [
    '/about',
    '/status/404',
    '/status/410',
    '/status/403',
    '/redirect/loop',
    '/redirect/no-location',
    '/encoding/gzip-truncated',
    '/encoding/unknown',
    '/redirect/to-metadata',
    '/reset/mid-body',
  ]
  const { code, tasks } = await runList(site, place, paths, ['--retries', '1'])
  assert.equal(code, 3)
  assert.deepEqual(reasonsOf(tasks), {
    '/about': 'ok',
    '/status/404': 'http.not-found',
    '/status/410': 'http.not-found',
    '/status/403': 'blocked.refused',
    '/redirect/loop': 'redirect.too-many',
    '/redirect/no-location': 'redirect.bad',
    '/encoding/gzip-truncated': 'body.truncated',
    '/encoding/unknown': 'body.undecodable',
    '/redirect/to-metadata': 'address.refused',
    '/reset/mid-body': 'body.truncated',
  })
  const attempts = Object.fromEntries(tasks.map(task => [new URL(task.url).pathname, task.attempts]))
  assert.equal(attempts['/status/404'], 1)
  assert.equal(attempts['/reset/mid-body'], 2)
})

test('a 429 slows the host, this attempt is not counted, and the page succeeds in the end', async () => {
  await using site = await startTestSite()
  await using place = await Workplace.open()
  const { code, tasks } = await runList(site, place, ['/throttled?times=2&after=1'], ['--retries', '0'])
  assert.equal(code, 0)
  assert.equal(tasks[0]!.state, 'succeeded')
  const asked = site.requestsTo('/throttled')
  assert.ok(asked[1]!.at - asked[0]!.at >= 1_000, 'Retry-After was kept')
})

test('a server that recovers gets another request after a wait', async () => {
  await using site = await startTestSite()
  await using place = await Workplace.open()
  const { code, tasks } = await runList(site, place, ['/recovers?times=1&status=500'])
  assert.equal(code, 0)
  assert.equal(tasks[0]!.attempts, 2)
})

test('pages that are duplicates by redirect, canonical URL or body give one record and name the original page', async () => {
  await using site = await startTestSite()
  await using place = await Workplace.open()
  site.serve(
    '/start',
    '<a href="/duplicate/a">a</a><a href="/duplicate/b">b</a><a href="/canonical/original">o</a><a href="/canonical/copy/1">c</a><a href="/redirect/status/301?to=/about">r</a><a href="/about">t</a>',
  )
  const { code, stderr } = await place.run([
    'crawl',
    `${site.url}/start`,
    ...quick(site),
    '--depth',
    '1',
    '--sitemap',
    'skip',
    '-o',
    'out.jsonl',
    '--job',
    'dup',
  ])
  assert.equal(code, 0, stderr)
  const { counts } = JSON.parse((await place.run(['jobs', 'show', 'dup', '--json'])).stdout)
  assert.equal(counts.by_reason['duplicate.content'], 1, JSON.stringify(counts))
  assert.equal(counts.by_reason['duplicate.canonical'], 1)
  assert.equal(counts.by_reason['duplicate.redirect'], 1)
  const why = (await place.run(['explain', 'dup', `${site.url}/redirect/status/301?to=/about`])).stdout
  assert.match(why, /duplicate\.redirect/)
  assert.match(why, /dup\.\d+/)
})

test('a crawl stops following endless calendars, and counts the refused links with this reason', async () => {
  await using site = await startTestSite()
  await using place = await Workplace.open()
  const { code } = await place.run([
    'crawl',
    `${site.url}/calendar/2026/01`,
    ...quick(site),
    '--sitemap',
    'skip',
    '-o',
    'out.jsonl',
    '--job',
    'cal',
  ])
  assert.equal(code, 0)
  const { counts } = JSON.parse((await place.run(['jobs', 'show', 'cal', '--json'])).stdout)
  assert.ok(counts.tasks < 2_000, `${counts.tasks} tasks`)
  assert.ok((counts.links_refused['trap.suspected'] ?? 0) > 0, JSON.stringify(counts.links_refused))
})

test('if robots.txt answers 5xx, the host waits, and none of its pages is requested', async () => {
  await using site = await startTestSite()
  await using place = await Workplace.open()
  site.serve('/robots.txt', { status: 503, body: 'busy' })
  const crawl = place.start(['crawl', `${site.url}/`, ...quick(site), '-o', 'out.jsonl', '--job', 'shut'])
  await eventually('robots.txt was requested', () => site.requestsTo('/robots.txt').length > 0)
  await new Promise(resolve => setTimeout(resolve, 500))
  assert.equal(site.requests.filter(request => request.url !== '/robots.txt').length, 0)
  const why = (await place.run(['explain', 'shut', `${site.url}/`])).stdout
  assert.match(why, /robots/)
  crawl.child.kill('SIGINT')
  assert.equal((await crawl.ended).code, 130)
})
