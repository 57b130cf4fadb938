// Tests jobs from files: how they are listed, controlled, resumed and deleted.
import assert from 'node:assert/strict'
import { readFile, writeFile } from 'node:fs/promises'
import { test } from 'node:test'
import { startTestSite, type TestSite } from '../site/index.ts'
import { eventually } from '../support/eventually.ts'
import { Workplace } from './run-cli.ts'

const leave = (site: TestSite) => ['--allow-private', `${site.host}:${site.port}`]
const quick = (site: TestSite) => ['--rate', 'unlimited', ...leave(site)]
const agents = (site: TestSite) => new Set(site.requests.map(({ headers }) => headers['user-agent']))

test('a job of items from JSON gives a record for each item, with the ids that the caller chose', async () => {
  await using site = await startTestSite()
  await using place = await Workplace.open()
  const items = ['about', 'jobs'].map(name => ({ item_id: name, input: { url: `${site.url}/${name}` } }))
  await writeFile(place.file('job.json'), JSON.stringify({ job_id: 'two-items', scraper_id: 'page', items }))
  const { code, stdout, stderr } = await place.run(['jobs', 'create', 'job.json', ...quick(site)])
  assert.equal(code, 0, stderr)
  const records = stdout
    .trimEnd()
    .split('\n')
    .map(line => JSON.parse(line))
  assert.deepEqual(records.map(({ _page }) => [_page.item_id, _page.url]).sort(), [
    ['about', `${site.url}/about`],
    ['jobs', `${site.url}/jobs`],
  ])
  assert.match(stderr, /completed two-items: 2 records from 2 pages/)
  const again = await place.run(['jobs', 'create', 'job.json', ...quick(site)])
  assert.equal(again.code, 2, 'the id is taken')
  assert.match(again.stderr, /two-items/)
})

test('a crawl from a YAML file uses the depth, the domains and the outputs of the file, and flags win over the file', async () => {
  await using site = await startTestSite()
  await using place = await Workplace.open()
  const body = [
    `seed_urls: ["${site.url}/categories"]`,
    'depth: 1',
    'allowed_domains: [127.0.0.1]',
    'render: false',
    'sitemap: skip',
    'user_agent: from-the-file/1.0',
    'output: [pages.csv, { path: pages.jsonl, format: jsonl }]',
  ]
  await writeFile(place.file('job.yaml'), body.join('\n'))
  const named = ['--user-agent', 'from-the-flag/2.0', '--contact', 'me@here.example']
  const { code, stderr } = await place.run(['jobs', 'create', 'job.yaml', ...quick(site), ...named])
  assert.equal(code, 0, stderr)
  assert.ok((await place.records('pages.jsonl')).length > 8)
  assert.match(await readFile(place.file('pages.csv'), 'utf8'), /\/categories\/lamps/)
  assert.deepEqual([...agents(site)], ['from-the-flag/2.0 (+me@here.example)'])
})

test('a resumed job keeps its user agent, writes the same files from any folder, and needs a new permission for private addresses', async () => {
  await using site = await startTestSite()
  await using place = await Workplace.open()
  const crawl = place.start([
    ...['crawl', `${site.url}/`, '--rate', '8/s', '--max-pages', '20', ...leave(site)],
    ...['--contact', 'me@here.example', '-o', 'out.jsonl', '--job', 'kept', '--data-dir', 'data'],
  ])
  await eventually('some pages', () => site.requests.length > 6)
  crawl.child.kill('SIGINT')
  const stopped = await crawl.ended
  assert.equal(stopped.code, 130)
  assert.match(
    stopped.stderr,
    new RegExp(`resume: +kscrape jobs resume kept --data-dir data --allow-private 127.0.0.1:${site.port}`),
  )
  const before = site.requests.length

  const closed = await place.run(['jobs', 'resume', 'kept', '--data-dir', 'data'])
  assert.equal(closed.code, 2)
  assert.match(
    closed.stderr,
    /job kept cannot continue: 127\.0\.0\.1:\d+ is not a public address; --allow-private/,
  )
  assert.match(closed.stderr, /not stored with a job/)
  assert.equal(site.requests.length, before, 'nothing was requested without permission')

  const elsewhere = { cwd: '/', env: { SCRAPER_USER_AGENT: 'someone-else/1.0' } }
  const resumed = await place.run(
    ['jobs', 'resume', 'kept', '--data-dir', place.file('data'), ...quick(site)],
    elsewhere,
  )
  assert.equal(resumed.code, 0, resumed.stderr)
  assert.equal((await place.records('out.jsonl')).length, 20)
  assert.deepEqual([...agents(site)], ['kscrape/0.1.0 (+me@here.example)'])
})

test('jobs list and jobs show print jobs and tasks as text and as JSON', async () => {
  await using site = await startTestSite()
  await using place = await Workplace.open()
  await writeFile(
    place.file('urls.csv'),
    `link,name\n${site.url}/about,a\n${site.url}/status/404,b\nnonsense,c\n${site.url}/about,d\n`,
  )
  const run = await place.run([
    'run',
    'urls.csv',
    ...quick(site),
    '--ignore-robots',
    '-o',
    'out.jsonl',
    '--job',
    'listed',
  ])
  assert.equal(run.code, 3, run.stderr)
  for (const line of [
    /partially_completed listed: 1 record from 1 page/,
    /1 {2}ok\n/,
    /1 {2}http\.not-found/,
    /1 duplicate, 1 rejected/,
    /wrote out\.jsonl/,
    /kscrape jobs retry listed --failed/,
    /kscrape explain listed URL/,
    /jobs show listed --rejected/,
  ])
    assert.match(run.stderr, line)

  const list = await place.run(['jobs', 'list'])
  assert.match(
    list.stdout,
    /^job +state +done +found +records +failed +created\nlisted +partially_completed +2 +2 +1 +1 +\d{4}-/,
  )
  const [row] = (await place.run(['jobs', 'list', '--json', '--state', 'partially_completed'])).stdout.split(
    '\n',
  )
  assert.equal(JSON.parse(row!).counts.records, 1)
  assert.equal((await place.run(['jobs', 'list', '--json', '--state', 'running'])).stdout, '')

  const shown = (await place.run(['jobs', 'show', 'listed'])).stdout
  for (const line of [
    /^listed {2}list {2}partially_completed$/m,
    /runs the rows of urls\.csv/,
    /does not obey robots\.txt/,
    /user agent kscrape\//,
    /by reason: .*http\.not-found 1/,
    /rows: 4 read = 2 tasks \+ 1 duplicates \+ 1 rejected \+ 0 blank/,
    /host 127\.0\.0\.1:\d+: /,
    /output out\.jsonl: complete$/m,
  ])
    assert.match(shown, line)
  const failed = (await place.run(['jobs', 'show', 'listed', '--tasks', 'failed'])).stdout
  assert.match(failed, /^listed\.2 {2}failed {2}http\.not-found {2}.*\/status\/404/)
  assert.match((await place.run(['jobs', 'show', 'listed', '--rejected'])).stdout, /line 4: .*nonsense/)
})

test('a job that no process runs can be paused, resumed and cancelled, and then accepts no more control requests', async () => {
  await using site = await startTestSite()
  await using place = await Workplace.open()
  const crawl = place.start([
    'crawl',
    `${site.url}/`,
    '--rate',
    '20/s',
    ...leave(site),
    '-o',
    'out.jsonl',
    '--job',
    'idle',
  ])
  await eventually('some pages', () => site.requests.length > 6)
  const steer = async (...args: string[]) => place.run(['jobs', ...args])
  assert.match((await steer('list', '--state', 'running')).stdout, /^idle +running/m)
  crawl.child.kill('SIGKILL')
  await crawl.ended
  assert.match((await steer('list')).stdout, /^idle +interrupted/m)
  assert.match((await steer('list', '--state', 'interrupted')).stdout, /^idle +interrupted/m)
  assert.doesNotMatch((await steer('list', '--state', 'running')).stdout, /idle/)
  assert.match((await steer('show', 'idle')).stdout, /interrupted\n.*kscrape jobs resume idle continues it/)
  assert.match((await steer('pause', 'idle')).stderr, /idle is paused/)
  assert.match((await steer('list')).stdout, /paused: user/)
  assert.equal((await steer('delete', 'idle')).code, 1, 'the job has not ended')
  assert.deepEqual(JSON.parse((await steer('cancel', 'idle', '--json')).stdout), {
    job_id: 'idle',
    state: 'cancelled',
  })
  const { stdout } = await steer('show', 'idle', '--json')
  const { by_state } = JSON.parse(stdout).counts
  assert.equal(by_state.pending + by_state.in_progress + by_state.queued, 0)
  const nothingToDo = await steer('cancel', 'idle')
  assert.equal(nothingToDo.code, 1)
  assert.match(nothingToDo.stderr, /has already ended \(cancelled\)/)
  assert.equal((await steer('delete', 'idle')).code, 0)
  assert.match((await steer('show', 'idle')).stderr, /there is no job "idle" in .*jobs list/)
})

test('if there are no failed tasks, a retry says so and sends no request', async () => {
  await using site = await startTestSite()
  await using place = await Workplace.open()
  await place.run(['run', '-', ...quick(site), '-o', 'out.jsonl', '--job', 'fine'], {
    stdin: `${site.url}/about\n`,
  })
  const before = site.requests.length
  const { code, stderr } = await place.run(['jobs', 'retry', 'fine', '--failed'])
  assert.deepEqual([code, stderr], [0, 'no task of job fine failed\n'])
  assert.equal(site.requests.length, before)
})

test('a job can be resumed with a new rate', async () => {
  await using site = await startTestSite()
  await using place = await Workplace.open()
  const crawl = place.start([
    'crawl',
    `${site.url}/`,
    '--rate',
    '30/m',
    '--ignore-robots',
    '--sitemap',
    'skip',
    '--max-pages',
    '10',
    ...leave(site),
    '-o',
    'out.jsonl',
    '--job',
    'slow',
  ])
  await eventually('the first page', () => site.requests.length > 0)
  crawl.child.kill('SIGTERM')
  await crawl.ended
  const resumed = await place.run(['jobs', 'resume', 'slow', ...quick(site)])
  assert.equal(resumed.code, 0, resumed.stderr)
  assert.equal((await place.records('out.jsonl')).length, 10)
})

test('the format of rows that come from stdin is detected', async () => {
  await using site = await startTestSite()
  await using place = await Workplace.open()
  for (const [name, stdin] of [
    ['json', JSON.stringify([`${site.url}/about`])],
    ['jsonl', `{"url":"${site.url}/about"}\n`],
    ['csv', `name,link\nabout,${site.url}/about\n`],
    ['txt', `# mine\n${site.url}/about\n`],
  ] as const) {
    const { code, stderr } = await place.run(['run', '-', ...quick(site), '-o', `${name}.jsonl`], { stdin })
    assert.equal(code, 0, `${name}: ${stderr}`)
    assert.equal((await place.records(`${name}.jsonl`)).length, 1, name)
  }
})
