// Tests built-in scrapers as jobs: rows of a file and items of a job, on the demo site.
import assert from 'node:assert/strict'
import { mkdir, readFile, writeFile } from 'node:fs/promises'
import { test } from 'node:test'
import { startTestSite, type TestSite } from '../site/index.ts'
import { Workplace } from './run-cli.ts'

const allowed = (site: TestSite) => ['--allow-private', `${site.host}:${site.port}`, '--quiet']
const quick = (site: TestSite) => ['--rate', 'unlimited', ...allowed(site)]

test('the example scraper gets the taxes of parcels in two steps, and bad rows are rejected with line and field', async () => {
  await using site = await startTestSite()
  await using place = await Workplace.open()
  const parcels = ['123-45-678', '301-22-104a', 'nonsense', '12345679', '999-01-001']
  const rows = parcels.map(parcel => `${parcel},"12 Main St, Mesa",${site.url}/maricopa`)
  await writeFile(place.file('parcels.csv'), `parcel,address,base_url\n${rows.join('\n')}\n`)

  const { code, stderr } = await place.run([
    ...[
      'run',
      'parcels.csv',
      '--scraper',
      'maricopa-az',
      '--job',
      'tax',
      '-o',
      'taxes.csv',
      '-o',
      'taxes.jsonl',
    ],
    ...quick(site),
  ])

  assert.equal(code, 3, stderr)
  const records = (await place.records('taxes.jsonl')).sort((a, b) =>
    String(a.parcel).localeCompare(String(b.parcel)),
  )
  assert.deepEqual(
    records.map(record => record.parcel),
    ['123-45-678', '123-45-679', '301-22-104A'],
  )
  for (const record of records) {
    assert.equal(record.tax_year, 2025)
    assert.equal(Number(record.assessed_tax) - Number(record.tax_paid), record.total_due)
  }
  assert.equal(new Set(records.map(record => record.assessed_tax)).size, 3, 'no statement of another parcel')
  assert.match(await readFile(place.file('taxes.csv'), 'utf8'), /^parcel,owner,property_address,tax_year,/)
  const rejected = (await place.run(['jobs', 'show', 'tax', '--rejected'])).stdout
  assert.match(rejected, /^line 4: parcel: a parcel number like "123-45-678"/)
  const tasks = (await place.run(['jobs', 'show', 'tax', '--tasks', 'failed'])).stdout
  assert.match(tasks, /input\.invalid .*parcel 999-01-001 is unknown to the county/)
})

test('a job of items runs example-http against the echo route, and each record names its item', async () => {
  await using site = await startTestSite()
  await using place = await Workplace.open()
  const items = ['hello', 'world'].map((text, index) => ({
    item_id: `item-${index + 1}`,
    input: { test_param: text, base_url: site.url },
  }))
  await writeFile(
    place.file('job.json'),
    JSON.stringify({ job_id: 'test-001', scraper_id: 'example-http', items }),
  )
  const { code, stderr, stdout } = await place.run(['jobs', 'create', 'job.json', ...allowed(site)])
  assert.equal(code, 0, stderr)
  const records = stdout
    .trim()
    .split('\n')
    .map(line => JSON.parse(line))
  assert.deepEqual(records.map(record => [record._page.item_id, record.test_param]).sort(), [
    ['item-1', 'hello'],
    ['item-2', 'world'],
  ])
})

test('if example-http finds no demo site, the error says how to start one', async () => {
  await using place = await Workplace.open()
  const items = [{ input: { test_param: 'hello' } }]
  await writeFile(
    place.file('job.json'),
    JSON.stringify({ job_id: 'alone', scraper_id: 'example-http', items }),
  )
  const { code } = await place.run(['jobs', 'create', 'job.json', '--quiet'])
  assert.equal(code, 3)
  const { stdout } = await place.run(['jobs', 'show', 'alone', '--tasks'])
  assert.match(stdout, /address\.refused .*--allow-private 127\.0\.0\.1:8080/)
})

test('a job with an item that does not match the scraper’s schema is refused, with the position and the field', async () => {
  await using place = await Workplace.open()
  const items = [{ input: { test_param: 'fine' } }, { input: { parameter: 1 } }]
  await writeFile(place.file('job.json'), JSON.stringify({ scraper_id: 'example-http', items }))
  const { code, stderr } = await place.run(['jobs', 'create', 'job.json'])
  assert.equal(code, 2)
  assert.match(stderr, /items\[1\]\.input\.test_param: text to send/)
})

test('example-mock makes records only from its input', async () => {
  await using place = await Workplace.open()
  await writeFile(place.file('rows.csv'), 'test_param\nabc\n')
  const { code, stderr } = await place.run([
    'run',
    'rows.csv',
    '--scraper',
    'example-mock',
    '--quiet',
    '-o',
    'out.jsonl',
  ])
  assert.equal(code, 0, stderr)
  assert.deepEqual(
    (await place.records('out.jsonl')).map(({ test_param, length }) => [test_param, length]),
    [['abc', 3]],
  )
})

test('pages of a list run through a built-in scraper, whatever the name of the URL column', async () => {
  await using site = await startTestSite()
  await using place = await Workplace.open()
  await writeFile(place.file('jobs.csv'), `source,link\nweb,${site.url}/about\n`)
  const { code, stderr } = await place.run([
    'run',
    'jobs.csv',
    '--scraper',
    'company_website',
    ...quick(site),
    '-o',
    'out.jsonl',
  ])
  assert.equal(code, 0, stderr)
  const [record = assert.fail()] = await place.records('out.jsonl')
  assert.equal(record.company_name, 'Kestrel & Pine')
  assert.equal(record.contact_phone, '+4555010203')
})

test('the policy of a user’s scraper is shown, the job’s own policy wins, and the scraper’s check can fail a page', async () => {
  await using site = await startTestSite()
  await using place = await Workplace.open()
  const home = new URL('../../src/index.ts', import.meta.url).href
  const source = `import { defineScraper } from '${home}'
export default defineScraper({
  id: 'strict',
  rules: { fields: { title: { css: 'h1' } } },
  policy: { retries: { attempts: 7 }, host: { rate: 50 } },
  validate: ([record]) => (record.title === 'Open positions' ? 'a list, not a page of its own' : null),
})
`
  await mkdir(place.file('scrapers'))
  await writeFile(place.file('scrapers/strict.ts'), source)
  await writeFile(place.file('urls.txt'), `${site.url}/about\n${site.url}/jobs\n`)
  const { code, stderr } = await place.run([
    'run',
    'urls.txt',
    '--scraper',
    'strict',
    '--job',
    'own',
    ...quick(site),
    '-o',
    'out.jsonl',
  ])
  assert.equal(code, 3, stderr)
  assert.deepEqual(
    (await place.records('out.jsonl')).map(record => record.title),
    ['About Kestrel & Pine'],
  )
  assert.match(
    (await place.run(['jobs', 'show', 'own', '--tasks', 'failed'])).stdout,
    /extract\.site-changed .*a list, not a page of its own/,
  )
  using database = place.database()
  const row = database.prepare('SELECT spec FROM job_specs').get() as { spec: string }
  const { policy } = JSON.parse(row.spec)
  assert.equal(policy.retries.attempts, 7)
  assert.equal(policy.host.rate, 'unlimited')
})
