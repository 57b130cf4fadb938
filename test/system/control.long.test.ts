// Tests how a job is stopped, resumed, paused and cancelled, from its own terminal and from another terminal.
import assert from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import { test } from 'node:test'
import { startTestSite, type TestSite } from '../site/index.ts'
import { eventually } from '../support/eventually.ts'
import { Workplace } from './run-cli.ts'

const atRate = (rate: string, site: TestSite) => [
  ...['--rate', rate, '--allow-private', `${site.host}:${site.port}`],
]
/** The job is so slow that a second program starts long before it ends, even on a busy machine. */
const slowly = (site: TestSite) => atRate('4/s', site)
const stateOf = async (place: Workplace, job: string) =>
  JSON.parse((await place.run(['jobs', 'show', job, '--json'])).stdout).state

test('Ctrl-C stops a crawl cleanly and prints how to continue, and the resumed crawl completes the same file', async () => {
  await using site = await startTestSite()
  await using place = await Workplace.open()
  const crawl = place.start([
    'crawl',
    `${site.url}/`,
    ...atRate('8/s', site),
    '--max-pages',
    '30',
    '-o',
    'out.jsonl',
    '--job',
    'stopped',
  ])
  await eventually('some pages', () => site.requests.length > 8)
  crawl.child.kill('SIGINT')
  const ended = await crawl.ended
  assert.equal(ended.code, 130, ended.stderr)
  assert.match(ended.stderr, /kscrape jobs resume stopped/)
  const before = (await place.records('out.jsonl')).length
  assert.ok(before > 0 && before < 30)

  const resumed = await place.run(['jobs', 'resume', 'stopped', ...atRate('20/s', site)])
  assert.equal(resumed.code, 0, resumed.stderr)
  const records = await place.records('out.jsonl')
  assert.equal(records.length, 30)
  assert.equal(new Set(records.map(record => record._page.url)).size, 30)
})

test('a job can be paused and resumed from another terminal, and sends no request while paused', async () => {
  await using site = await startTestSite()
  await using place = await Workplace.open()
  const crawl = place.start([
    'crawl',
    `${site.url}/`,
    ...slowly(site),
    '--max-pages',
    '24',
    '-o',
    'out.jsonl',
    '--job',
    'paused',
  ])
  await eventually('some pages', () => site.requests.length > 2)
  const pause = await place.run(['jobs', 'pause', 'paused'])
  assert.match(pause.stderr, /the process that uses .+ has the request; job paused is /)
  await eventually('the pause', async () => (await stateOf(place, 'paused')) === 'paused')
  await eventually('requests in flight to end', async () => {
    const before = site.requests.length
    await new Promise(resolve => setTimeout(resolve, 400))
    return site.requests.length === before
  })
  await place.run(['jobs', 'resume', 'paused'])
  assert.equal((await crawl.ended).code, 0)
  assert.equal((await place.records('out.jsonl')).length, 24)
})

test('cancelling ends the job, and every task has an outcome in the end', async () => {
  await using site = await startTestSite()
  await using place = await Workplace.open()
  const crawl = place.start(['crawl', `${site.url}/`, ...slowly(site), '-o', 'out.jsonl', '--job', 'gone'])
  await eventually('some pages', () => site.requests.length > 2)
  await place.run(['jobs', 'cancel', 'gone'])
  assert.equal((await crawl.ended).code, 1)
  const { state, counts } = JSON.parse((await place.run(['jobs', 'show', 'gone', '--json'])).stdout)
  assert.equal(state, 'cancelled')
  assert.equal(counts.by_state.pending + counts.by_state.in_progress, 0)
  assert.ok(counts.by_reason['job.cancelled'] > 0)
})

test('if a second process uses the data directory, the error names the process that owns it', async () => {
  await using site = await startTestSite()
  await using place = await Workplace.open()
  const first = place.start(['crawl', `${site.url}/`, ...slowly(site), '-o', 'out.jsonl'])
  await eventually('the first request', () => site.requests.length > 0)
  const second = await place.run(['crawl', `${site.url}/`, ...slowly(site), '-o', 'other.jsonl'])
  assert.equal(second.code, 1)
  assert.match(second.stderr, new RegExp(String(first.child.pid)))
  first.child.kill('SIGKILL')
  await first.ended
})

test('a retry runs only failed tasks, and deleting the job leaves nothing behind', async () => {
  await using site = await startTestSite()
  await using place = await Workplace.open()
  site.fail('/about', 1, 500)
  const { writeFile } = await import('node:fs/promises')
  await writeFile(place.file('urls.txt'), `${site.url}/about\n${site.url}/categories\n${site.url}/blog/\n`)
  const run = ['--rate', 'unlimited', '--retries', '0', '--allow-private', `${site.host}:${site.port}`]
  const first = await place.run(['run', 'urls.txt', ...run, '-o', 'out.jsonl', '--job', 'again'])
  assert.equal(first.code, 3, first.stderr)
  const before = site.requests.length
  const second = await place.run(['jobs', 'retry', 'again', '--failed', ...run.slice(0, 2), ...run.slice(4)])
  assert.equal(second.code, 0, second.stderr)
  const asked = site.requests
    .slice(before)
    .map(request => request.url)
    .filter(url => url !== '/robots.txt')
  assert.deepEqual(asked, ['/about'])
  assert.equal((await place.records('out.jsonl')).length, 3)

  assert.equal((await place.run(['jobs', 'delete', 'again'])).code, 0)
  assert.equal((await place.run(['jobs', 'show', 'again'])).code, 1)
  assert.equal(
    (await readFile(place.file('out.jsonl'), 'utf8')).split('\n').length,
    4,
    'files of the user stay',
  )
})
