// Tests responses that are reused by several jobs. The server counts every real request.
import assert from 'node:assert/strict'
import { rm, writeFile } from 'node:fs/promises'
import { test } from 'node:test'
import { startTestSite, type TestSite } from '../site/index.ts'
import { Workplace } from './run-cli.ts'

const quick = (site: TestSite) => [
  '--rate',
  'unlimited',
  '--allow-private',
  `${site.host}:${site.port}`,
  '--quiet',
]

async function list(site: TestSite, place: Workplace, job: string, paths: string[], flags: string[]) {
  await writeFile(place.file('urls.txt'), paths.map(path => site.url + path).join('\n'))
  const { code, stderr } = await place.run([
    ...['run', 'urls.txt', '--job', job, '-o', `${job}.jsonl`],
    ...quick(site),
    ...flags,
  ])
  assert.equal(code, 0, stderr)
  return place.records(`${job}.jsonl`)
}

const countsOf = async (place: Workplace, job: string) =>
  JSON.parse((await place.run(['jobs', 'show', job, '--json'])).stdout).counts

/** The records without `_page`, sorted, to compare them. */
const fieldsOf = (records: Array<Record<string, unknown>>) =>
  records.map(({ _page, ...fields }) => fields).sort((a, b) => String(a.url).localeCompare(String(b.url)))

test('within --max-age a page is requested only once, and its record is reused', async () => {
  await using site = await startTestSite()
  await using place = await Workplace.open()
  const paths = ['/about', '/jobs']
  const first = await list(site, place, 'first', paths, ['--max-age', '1h'])
  const asked = site.requests.length
  const second = await list(site, place, 'second', paths, ['--max-age', '1h'])
  assert.equal(site.requests.length, asked, 'something was asked')
  assert.deepEqual(fieldsOf(second), fieldsOf(first))
  const counts = await countsOf(place, 'second')
  assert.deepEqual([counts.by_reason, counts.by_state.succeeded], [{ cached: 2 }, 2])
  const explained = await place.run(['explain', 'second', `${site.url}/about`])
  assert.match(explained.stdout, /cached/)
})

test('without --max-age nothing is cached or reused', async () => {
  await using site = await startTestSite()
  await using place = await Workplace.open()
  await list(site, place, 'first', ['/about'], [])
  await list(site, place, 'second', ['/about'], ['--max-age', '1h'])
  await list(site, place, 'third', ['/about'], [])
  assert.equal(site.requestsTo('/about').length, 3)
})

test('a request with other headers or other rules does not use the cached response', async () => {
  await using site = await startTestSite()
  await using place = await Workplace.open()
  await writeFile(place.file('rules.yaml'), 'fields:\n  heading: h1\n')
  await list(site, place, 'first', ['/about'], ['--max-age', '1h'])
  await list(site, place, 'german', ['/about'], ['--max-age', '1h', '--header', 'Accept-Language: de'])
  const records = await list(site, place, 'rules', ['/about'], ['--max-age', '1h', '--extract', 'rules.yaml'])
  assert.equal(site.requestsTo('/about').length, 3)
  assert.deepEqual(Object.keys(records[0]!), ['heading', '_page'])
})

for (const { path, header } of [
  { path: '/cached/etag', header: 'if-none-match' },
  { path: '/cached/last-modified', header: 'if-modified-since' },
]) {
  test(`a stale response of ${path} is checked with ${header}, and after a 304 its record is reused`, async () => {
    await using site = await startTestSite()
    await using place = await Workplace.open()
    const first = await list(site, place, 'first', [path], ['--max-age', '0s'])
    const second = await list(site, place, 'second', [path], ['--max-age', '0s'])
    const [plain, conditional] = site.requestsTo(path)
    assert.equal(plain?.headers[header], undefined)
    assert.equal(typeof conditional?.headers[header], 'string')
    assert.equal(conditional?.status, 304)
    assert.deepEqual(fieldsOf(second), fieldsOf(first))
    assert.deepEqual((await countsOf(place, 'second')).by_reason, { 'not-modified': 1 })
    // The previous run revalidated the response, so it is fresh again.
    await list(site, place, 'third', [path], ['--max-age', '1h'])
    assert.equal(site.requestsTo(path).length, 2)
  })
}

test('if a cached page has changed, a new record is extracted', async () => {
  await using site = await startTestSite()
  await using place = await Workplace.open()
  const first = await list(site, place, 'first', ['/changes'], ['--max-age', '0s'])
  const second = await list(site, place, 'second', ['/changes'], ['--max-age', '0s'])
  assert.deepEqual((await countsOf(place, 'second')).by_reason, { ok: 1 })
  assert.notEqual(first[0]?.title, second[0]?.title)
})

test('if a response has no validators but the same body, nothing is extracted again', async () => {
  await using site = await startTestSite()
  await using place = await Workplace.open()
  site.serve('/plain', {
    headers: { 'content-type': 'text/html', 'last-modified': 'never' },
    body: '<h1>Plain</h1>',
  })
  const first = await list(site, place, 'first', ['/plain'], ['--max-age', '0s'])
  const second = await list(site, place, 'second', ['/plain'], ['--max-age', '0s'])
  assert.equal(site.requestsTo('/plain').at(-1)?.status, 200)
  assert.deepEqual((await countsOf(place, 'second')).by_reason, { 'not-modified': 1 })
  assert.deepEqual(fieldsOf(second), fieldsOf(first))
})

test('a crawl follows the links of cached pages', async () => {
  await using site = await startTestSite()
  await using place = await Workplace.open()
  // All pages fit into the limit. Otherwise chance would decide which of them are fetched.
  const linksTo = (paths: string[]) => paths.map(path => `<a href="${path}">${path}</a>`).join('')
  const halls = Array.from({ length: 4 }, (_, hall) => `/hall/${hall}`)
  const roomsOf = (hall: string) => Array.from({ length: 5 }, (_, room) => `${hall}/room/${room}`)
  site.serve('/house', `<h1>House</h1>${linksTo(halls)}`)
  for (const hall of halls) {
    site.serve(hall, `<h1>${hall}</h1>${linksTo(roomsOf(hall))}`)
    for (const room of roomsOf(hall)) site.serve(room, `<h1>${room}</h1>`)
  }
  const crawl = (job: string) =>
    place.run([
      ...['crawl', `${site.url}/house`, ...quick(site), '--sitemap', 'skip', '--max-age', '1h'],
      ...['--job', job, '-o', `${job}.jsonl`],
    ])
  assert.equal((await crawl('first')).code, 0)
  const asked = site.requests.length
  assert.equal((await crawl('second')).code, 0)
  assert.equal(site.requests.length, asked, 'something was asked')
  assert.deepEqual((await countsOf(place, 'second')).by_reason, { cached: 25 })
  assert.deepEqual(
    fieldsOf(await place.records('second.jsonl')),
    fieldsOf(await place.records('first.jsonl')),
  )
  const raw = await place.run(['jobs', 'export', 'second', '-o', 'second.warc.gz'])
  assert.equal(raw.code, 0, raw.stderr)
})

test('if the records or the page of a cached response were deleted, the page is requested without cache validators', async () => {
  await using site = await startTestSite()
  await using place = await Workplace.open()
  await list(site, place, 'first', ['/about'], ['--max-age', '1h'])
  assert.equal((await place.run(['jobs', 'delete', 'first'])).code, 0)
  await list(site, place, 'second', ['/about'], ['--max-age', '1h'])
  assert.equal(site.requestsTo('/about').length, 2)
  assert.equal(site.requestsTo('/about')[1]?.headers['if-none-match'], undefined)

  // A list needs only the stored record. A crawl also needs the links of the page, so it requests the page again after a 304.
  await rm(place.file('.kscrape/blobs/jobs/second/segments'), { recursive: true })
  await list(site, place, 'third', ['/about'], ['--max-age', '1h'])
  assert.equal(site.requestsTo('/about').length, 2)
  const crawl = ['crawl', `${site.url}/about`, ...quick(site), '--max-pages', '1', '--sitemap', 'skip']
  assert.equal((await place.run([...crawl, '--max-age', '0s', '-o', 'fourth.jsonl'])).code, 0)
  const statuses = site
    .requestsTo('/about')
    .slice(2)
    .map(({ status }) => status)
  assert.deepEqual(statuses, [304, 200])
  assert.equal((await place.records('fourth.jsonl')).length, 1)
})

test('a page that another job fetched is taken from the cache without any request', async () => {
  await using site = await startTestSite()
  await using place = await Workplace.open()
  await list(site, place, 'first', ['/about'], ['--render', 'never', '--max-age', '1h'])
  using database = place.database()
  assert.equal(database.prepare('SELECT count(*) AS n FROM answers').get()?.n, 1)
  const asked = site.requests.length
  const { code, stdout } = await place.run([
    'scrape',
    `${site.url}/about`,
    '--render',
    'never',
    '--max-age',
    '1h',
    ...quick(site),
  ])
  assert.equal(code, 0)
  assert.match(stdout, /\S/)
  assert.equal(site.requests.length, asked)
})
