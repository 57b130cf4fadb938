// Tests kscrape scrapers: it creates, tests and certifies a scraper, and records runs without secrets that can be replayed
// without a network.
import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { test } from 'node:test'
import { gunzipSync } from 'node:zlib'
import { startTestSite, type TestSite } from '../site/index.ts'
import { linkSources } from '../support/linked-package.ts'
import { Workplace } from './run-cli.ts'

/** Runs the tests that Node's test runner finds in a folder. */
const nodeTest = (cwd: string): Promise<{ code: number; output: string }> =>
  new Promise(resolve => {
    // Removes the variable that would make these tests part of this test run.
    const env = { PATH: process.env.PATH }
    execFile(process.execPath, ['--test'], { cwd, env }, (error, stdout, stderr) =>
      resolve({ code: error ? Number(error.code ?? 1) : 0, output: stdout + stderr }),
    )
  })

const records = async (place: Workplace, path: string) => JSON.parse(await readFile(place.file(path), 'utf8'))

test('a new scraper passes its golden page and its own test without changes, and can be certified', async () => {
  await using place = await Workplace.open()
  const made = await place.run(['scrapers', 'new', 'thing'])
  assert.equal(made.code, 0, made.stderr)
  const tested = await place.run(['scrapers', 'test'])
  assert.equal(tested.code, 0, tested.stdout + tested.stderr)
  assert.match(tested.stdout, /✔ thing\/example/)
  assert.equal(tested.stderr, '')
  const certified = await place.run(['scrapers', 'certify', 'thing', '--json'])
  assert.equal(certified.code, 0, certified.stdout)
  const { passed, checks } = JSON.parse(certified.stdout)
  assert.equal(passed, true)
  assert.deepEqual(
    checks.map((check: { name: string }) => check.name),
    ['schema', 'golden pages', 'nulls', 'policy', 'secrets', 'speed'],
  )
  await linkSources(place.path)
  const { code, output } = await nodeTest(place.path)
  assert.equal(code, 0, output)
  assert.match(output, /pass 2/)
})

test('scrapers new does not overwrite existing files', async () => {
  await using place = await Workplace.open()
  await place.run(['scrapers', 'new', 'thing'])
  await writeFile(place.file('scrapers/thing.ts'), '// mine')
  const again = await place.run(['scrapers', 'new', 'thing'])
  assert.equal(again.code, 2)
  assert.match(again.stderr, /thing\.ts already exists; nothing was written/)
  assert.equal(await readFile(place.file('scrapers/thing.ts'), 'utf8'), '// mine')
  for (const name of ['../thing', 'page', ''])
    assert.equal((await place.run(['scrapers', 'new', name])).code, 2, name)
})

test('a record that differs is shown field by field, with exit code 3, and --update stores it', async () => {
  await using place = await Workplace.open()
  await place.run(['scrapers', 'new', 'thing'])
  const expected = 'scrapers/golden/thing/example/record.json'
  await writeFile(place.file(expected), '{ "title": "Another", "price": 12.5, "tags": ["new"] }')
  const differing = await place.run(['scrapers', 'test', 'thing'])
  assert.equal(differing.code, 3)
  assert.match(differing.stdout, /- title: "Another"\n {4}\+ title: "A thing"\n {4}\+ tags\[1\]: "blue"/)
  const json = await place.run(['scrapers', 'test', '--json'])
  assert.equal(JSON.parse(json.stdout).differences.length, 2)
  assert.equal((await place.run(['scrapers', 'test', '--update'])).code, 0)
  assert.equal((await records(place, expected)).title, 'A thing')
  assert.equal((await place.run(['scrapers', 'test'])).code, 0)
})

test('--update does not store a failure as the new expected result', async () => {
  await using place = await Workplace.open()
  await place.run(['scrapers', 'new', 'thing'])
  await writeFile(place.file('scrapers/golden/thing/example/page.html'), '<p>Please log in</p>')
  const broken = await place.run(['scrapers', 'test', '--update'])
  assert.equal(broken.code, 3)
  assert.match(broken.stdout, /extract\.site-changed/)
  await writeFile(
    place.file('scrapers/golden/thing/example/failure.json'),
    '{ "code": "extract.site-changed" }',
  )
  assert.equal((await place.run(['scrapers', 'test'])).code, 0)
})

test('the certificate of a scraper expires when the scraper changes, and `scrapers list` says so', async () => {
  await using place = await Workplace.open()
  const standing = async () => {
    const { stdout } = await place.run(['scrapers', 'list', '--json'])
    const rows = stdout
      .trim()
      .split('\n')
      .map(line => JSON.parse(line))
    return rows.find(row => row.id === 'thing')
  }
  await place.run(['scrapers', 'new', 'thing'])
  assert.equal((await standing()).certified, 'never')
  await place.run(['scrapers', 'certify', 'thing'])
  assert.equal((await standing()).certified, 'certified')
  assert.equal((await standing()).from, 'scrapers/thing.ts')
  const source = await readFile(place.file('scrapers/thing.ts'), 'utf8')
  await writeFile(place.file('scrapers/thing.ts'), source.replace('rate: 1', 'rate: 50'))
  assert.equal((await standing()).certified, 'lapsed')
  const refused = await place.run(['scrapers', 'certify', 'thing'])
  assert.equal(refused.code, 3)
  assert.match(refused.stdout, /✗ policy +host\.rate is above 10 a second/)
  assert.equal((await standing()).certified, 'failed')
})

test('`scrapers show` prints input and output of a scraper, and suggests the nearest name for an unknown one', async () => {
  await using place = await Workplace.open()
  await place.run(['scrapers', 'new', 'thing'])
  const shown = await place.run(['scrapers', 'show', 'thing'])
  assert.match(shown.stdout, /price +number \| null/)
  assert.match(shown.stdout, /policy +\{"host":\{"rate":1\}\}/)
  const about = JSON.parse((await place.run(['scrapers', 'show', 'thing', '--json'])).stdout)
  assert.deepEqual(about.output.shape.required, ['title', 'price', 'tags'])
  const unknown = await place.run(['scrapers', 'show', 'thin'])
  assert.equal(unknown.code, 2)
  assert.match(unknown.stderr, /did you mean "thing"/)
})

/** A scraper that logs in with a form and a key, and reads content behind the login. */
const accountScraper = (site: TestSite, path = '/account') => `
import { defineScraper } from 'kscrape'
import * as z from 'zod'
export default defineScraper({
  id: 'account',
  input: z.object({ user: z.string(), password: z.string() }),
  output: z.strictObject({ user: z.string(), balance: z.string().nullable() }),
  async run({ input, open, emit }) {
    await open('${site.url}/login?api_key=key-s3cr3t-1', { form: { user: input.user, password: input.password } })
    const page = await open('${site.url}${path}', { headers: { Authorization: 'Bearer bearer-s3cr3t-2' } })
    emit({ user: input.user, balance: page.text('.balance') })
  },
})
`

async function recordAccount(site: TestSite, place: Workplace): Promise<void> {
  const html = { 'content-type': 'text/html', 'set-cookie': 'session=cookie-s3cr3t-3' }
  site.serve('/login', { headers: html, body: '<p>welcome, pass-s3cr3t-4</p>' })
  site.serve('/account', '<p class="balance">12</p><i>bearer-s3cr3t-2 cookie-s3cr3t-3</i>')
  await place.run(['scrapers', 'new', 'account'])
  await writeFile(place.file('scrapers/account.ts'), accountScraper(site))
  const input = JSON.stringify({ user: 'ann', password: 'pass-s3cr3t-4' })
  const flags = [
    '--rate',
    'unlimited',
    '--allow-private',
    `${site.host}:${site.port}`,
    '--header',
    'X-Api-Key: job-s3cr3t-5',
  ]
  const ended = await place.run([
    'scrapers',
    'test',
    '--record',
    input,
    '--scraper',
    'account',
    '--case',
    'real',
    ...flags,
  ])
  assert.equal(ended.code, 0, ended.stderr)
  assert.match(ended.stderr, /kept account\/real: 2 exchanges, 1 records/)
}

test('a recorded run can be replayed without network, and the recording contains no secret', async () => {
  await using place = await Workplace.open()
  const site = await startTestSite()
  await recordAccount(site, place)
  await site.close()
  const folder = place.file('scrapers/golden/account/real')
  assert.deepEqual((await readdir(folder)).sort(), ['input.json', 'record.json', 'recording.warc.gz'])
  assert.deepEqual(await records(place, 'scrapers/golden/account/real/record.json'), {
    user: 'ann',
    balance: '12',
  })
  const kept = gunzipSync(await readFile(join(folder, 'recording.warc.gz'))).toString('latin1')
  assert.doesNotMatch(kept + (await readFile(join(folder, 'input.json'), 'utf8')), /s3cr3t/)
  const replayed = await place.run(['scrapers', 'test', 'account', '--json'])
  const results = replayed.stdout
    .trim()
    .split('\n')
    .map(line => JSON.parse(line))
  assert.equal(results.find(result => result.name === 'account/real').verdict, 'same')
})

test('in a replay, a request that was not recorded fails, and the error names the request', async () => {
  await using place = await Workplace.open()
  await using site = await startTestSite()
  await recordAccount(site, place)
  await writeFile(place.file('scrapers/account.ts'), accountScraper(site, '/balance'))
  const { code, stdout } = await place.run(['scrapers', 'test', 'account'])
  assert.equal(code, 3)
  assert.match(
    stdout,
    /account\/real: GET http:\/\/[\d.:]+\/balance is not in account\/real\/recording\.warc\.gz/,
  )
  assert.equal(site.requestsTo('/balance').length, 0)
})

test('if a scraper run fails, nothing is recorded', async () => {
  await using place = await Workplace.open()
  await using site = await startTestSite()
  await place.run(['scrapers', 'new', 'thing'])
  const flags = ['--scraper', 'thing', '--allow-private', `${site.host}:${site.port}`]
  const ended = await place.run(['scrapers', 'test', '--record', `${site.url}/status/404`, ...flags])
  assert.equal(ended.code, 1)
  const outside = ['scrapers', 'test', '--record', `${site.url}/`, '--case', '..', '--update', ...flags]
  assert.equal((await place.run(outside)).code, 2)
  assert.match(ended.stderr, /nothing was recorded: .*404/)
  assert.deepEqual(await readdir(place.file('scrapers/golden/thing')), ['example'])
})

test('the example in docs/testing-scrapers.md runs unchanged', async () => {
  await using place = await Workplace.open()
  const page = await readFile(join(import.meta.dirname, '../../docs/testing-scrapers.md'), 'utf8')
  const [, code] = /```ts\n([\s\S]*?)```/.exec(page)!
  await linkSources(place.path)
  await writeFile(place.file('owners.test.ts'), code!)
  const { code: ended, output } = await nodeTest(place.path)
  assert.equal(ended, 0, output)
  assert.match(output, /pass 2/)
})

test('rules and built-in scrapers have golden pages too, and a golden folder without a scraper is reported', async () => {
  await using place = await Workplace.open()
  const rules = "{ each: 'li', fields: { name: { css: 'a', regex: '(\\\\w+)' } } }"
  const files = {
    'scrapers/names.ts': `import { defineScraper } from 'kscrape'\nexport default defineScraper({ id: 'names', rules: ${rules} })`,
    'scrapers/golden/names/two/page.html': '<ul><li><a>one 1</a><li><a>two 2</a></ul>',
    'scrapers/golden/names/two/record.json': '[{ "name": "one" }, { "name": "two" }]',
    'scrapers/golden/page/json/page.json': '{ "a": 1 }',
    'scrapers/golden/nmaes/two/page.html': '',
  }
  for (const [path, text] of Object.entries(files)) {
    await mkdir(dirname(place.file(path)), { recursive: true })
    await writeFile(place.file(path), text)
  }
  const { code, stdout } = await place.run(['scrapers', 'test'])
  assert.equal(code, 3)
  assert.match(stdout, /✔ names\/two/)
  assert.match(stdout, /\? page\/json: no record\.json yet/)
  assert.match(stdout, /✗ nmaes: no scraper has this id/)
})
