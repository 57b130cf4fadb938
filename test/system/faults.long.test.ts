// Tests external faults: a full disk, too few open files, a host that is down for a while, and a stop under load.
import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { test } from 'node:test'
import { startTestSite, type TestSite } from '../site/index.ts'
import { eventually } from '../support/eventually.ts'
import { Workplace } from './run-cli.ts'

const leave = (site: TestSite) => ['--allow-private', `${site.host}:${site.port}`]
const quick = (site: TestSite) => ['--rate', 'unlimited', ...leave(site)]

async function shown(place: Workplace, job: string) {
  return JSON.parse((await place.run(['jobs', 'show', job, '--json'])).stdout)
}

function openLeases(place: Workplace): number {
  using database = place.database()
  return Number((database.prepare('SELECT count(*) AS count FROM leases').get() as { count: number }).count)
}

test('if there is too little disk space, the job pauses with this reason and loses nothing; with enough space it continues', async () => {
  await using site = await startTestSite()
  await using place = await Workplace.open()
  const tooMuch = { SCRAPER_MIN_FREE_BYTES: String(10 ** 15), SCRAPER_SWEEP: '100ms' }
  const crawl = place.start(
    [
      'crawl',
      `${site.url}/`,
      '--rate',
      '20/s',
      ...leave(site),
      '--max-pages',
      '20',
      '-o',
      'out.jsonl',
      '--job',
      'full',
    ],
    { env: tooMuch },
  )
  await eventually('the pause', async () => {
    const list = await place.run(['jobs', 'list'])
    return list.stdout.includes('paused: storage.full')
  })
  crawl.child.kill('SIGTERM')
  assert.equal((await crawl.ended).code, 130)
  assert.equal((await shown(place, 'full')).reason, 'storage.full')
  const resumed = await place.run(['jobs', 'resume', 'full', ...quick(site)])
  assert.equal(resumed.code, 0, resumed.stderr)
  assert.equal((await place.records('out.jsonl')).length, 20)
})

test('if a process may open only 64 files, a crawl slows down or retries, and every task has an outcome', async () => {
  await using site = await startTestSite()
  await using place = await Workplace.open()
  const program = join(import.meta.dirname, '../../src/cli/kscrape.ts')
  const args = [
    'crawl',
    `${site.url}/`,
    ...quick(site),
    '--concurrency',
    '100',
    '--max-pages',
    '60',
    '--no-raw',
    '-o',
    'out.jsonl',
    '--job',
    'few',
    '--quiet',
  ]
  const command = `ulimit -n 64; exec "$0" --disable-warning=ExperimentalWarning "$@"`
  const child = spawn('sh', ['-c', command, process.execPath, program, ...args], {
    cwd: place.path,
    env: { PATH: process.env.PATH, HOME: place.path, SCRAPER_TRUST: 'on' },
    stdio: ['ignore', 'ignore', 'pipe'],
  })
  let stderr = ''
  child.stderr.setEncoding('utf8').on('data', text => (stderr += text))
  const [code] = (await once(child, 'close')) as [number | null]
  assert.ok(code === 0 || code === 3, `${code}: ${stderr}`)
  const { counts } = await shown(place, 'few')
  const { pending, queued, in_progress } = counts.by_state
  assert.deepEqual([pending, queued, in_progress], [0, 0, 0])
  assert.equal((await place.records('out.jsonl')).length, counts.records)
  assert.equal(openLeases(place), 0)
})

test('if a host is down for a while, its tasks wait and do not fail', async () => {
  await using site = await startTestSite()
  await using place = await Workplace.open()
  await writeFile(
    place.file('policies.yaml'),
    'default: { rate: unlimited, concurrency: 4, breaker: { window: 10, failures: 5, cooldown: 300ms } }\n',
  )
  const env = { SCRAPER_DOMAIN_POLICIES: 'policies.yaml', SCRAPER_SWEEP: '100ms' }
  const crawl = place.start(
    [
      'crawl',
      `${site.url}/`,
      ...leave(site),
      '--rate',
      '100/s',
      '--concurrency',
      '4',
      '--max-pages',
      '60',
      '-o',
      'out.jsonl',
      '--job',
      'gone',
    ],
    { env },
  )
  await eventually('some pages', () => site.requests.length > 15)
  site.fail('*', 14, 'reset')
  const ended = await crawl.ended
  assert.ok(ended.code === 0 || ended.code === 3, ended.stderr)
  const { counts } = await shown(place, 'gone')
  assert.ok(counts.by_state.failed <= 1, JSON.stringify(counts.by_reason))
  const tasks = (await place.records('out.jsonl')).map(record => record._page.task_id)
  assert.equal(new Set(tasks).size, 60)
})

test('after SIGTERM under load, running tasks finish or return to pending, no lease is left, and the exit code is 130', async () => {
  await using site = await startTestSite()
  await using place = await Workplace.open()
  const crawl = place.start(['crawl', `${site.url}/`, ...quick(site), '-o', 'out.jsonl', '--job', 'stop'])
  await eventually('load', () => site.requests.length > 30)
  crawl.child.kill('SIGTERM')
  const { code, stderr } = await crawl.ended
  if (code === 0) return // The job ended before the signal arrived.
  assert.equal(code, 130, stderr)
  assert.equal(openLeases(place), 0)
  const { state, reason, counts } = await shown(place, 'stop')
  assert.deepEqual([state, reason], ['paused', 'interrupted'])
  assert.equal((await place.records('out.jsonl')).length, counts.records)
})

test('a second SIGTERM stops the process at once, and a resume loses nothing', async () => {
  await using site = await startTestSite()
  await using place = await Workplace.open()
  using held = site.hold('/about')
  await writeFile(place.file('urls.txt'), `${site.url}/about\n${site.url}/jobs\n`)
  const run = place.start(['run', 'urls.txt', ...quick(site), '-o', 'out.jsonl', '--job', 'twice'])
  await held.arrived()
  run.child.kill('SIGTERM')
  await eventually('the first signal was handled', () => run.stderr().includes('stopping: '))
  run.child.kill('SIGTERM')
  const { code } = await run.ended
  assert.equal(code, 130)
  held.release()
  const resumed = await place.run(['jobs', 'resume', 'twice', ...quick(site)])
  assert.equal(resumed.code, 0, resumed.stderr)
  assert.equal((await place.records('out.jsonl')).length, 2)
})
