// Tests re-extraction that is killed, repeated or refused: each record exists once.
import assert from 'node:assert/strict'
import { mkdir, readFile, rm, writeFile } from 'node:fs/promises'
import { test } from 'node:test'
import { startTestSite } from '../../site/index.ts'
import { Workplace } from '../run-cli.ts'
import { checkStore, countsOf, crawled, quick, rules } from './reextracting.ts'

test('if the rules change, their version changes too, and the same rules always have the same version', async () => {
  await using site = await startTestSite()
  await using place = await Workplace.open()
  await crawled(site, place, 3)
  const versionOf = async (text: string) => {
    await writeFile(place.file('rules.yaml'), text)
    const { code, stderr } = await place.run([
      'reextract',
      'site',
      '--rules',
      'rules.yaml',
      '-o',
      'new.jsonl',
    ])
    assert.equal(code, 0, stderr)
    return String((await place.records('new.jsonl'))[0]?._page.scraper)
  }
  const first = await versionOf(rules)
  assert.notEqual(await versionOf('fields:\n  heading: title\n'), first)
  assert.equal(await versionOf(`# the same, said again\n${rules}`), first)
})

test('if a re-extraction is killed half-way, the same command completes it, with each record once', async () => {
  await using site = await startTestSite({ products: 200 })
  await using place = await Workplace.open()
  await crawled(site, place, 250)
  const reextract = ['reextract', 'site', '--rules', 'rules.yaml', '-o', 'new.jsonl']
  const killed = await place.run(reextract, { env: { KILLPOINT: 'reextract.after_batch:1' } })
  assert.equal(killed.signal, 'SIGKILL')

  const { code, stderr } = await place.run(reextract)
  assert.equal(code, 0, stderr)
  assert.match(stderr, /250 records from 250 pages/)
  const records = await place.records('new.jsonl')
  assert.equal(records.length, 250)
  assert.equal(new Set(records.map(({ _page }) => _page.task_id)).size, 250)
  assert.equal(new Set(records.map(({ _page }) => _page.scraper)).size, 1)
  assert.equal((await countsOf(place)).records, 250)
  checkStore(place)
})

test('a scraper with its own code runs over the stored pages', async () => {
  await using site = await startTestSite()
  await using place = await Workplace.open()
  await crawled(site, place, 5)
  await mkdir(place.file('scrapers'))
  await writeFile(
    place.file('scrapers/heading.ts'),
    `export default { id: 'heading', version: '2', name: 'heading', description: '',
      async run({ url, open, emit }) { const page = await open(url); emit({ heading: page.text('h1') }) } }`,
  )
  const wrong = await place.run(['reextract', 'site', '--scraper', 'heading@1'])
  assert.equal(wrong.code, 2)
  assert.match(wrong.stderr, /is 2, not 1/)
  const asked = site.requests.length
  const { code, stderr } = await place.run(['reextract', 'site', '--scraper', 'heading@2', '-o', 'new.jsonl'])
  assert.equal(code, 0, stderr)
  assert.equal(site.requests.length, asked)
  const records = await place.records('new.jsonl')
  assert.equal(records.length, 5)
  for (const { heading, _page } of records) {
    assert.equal(typeof heading, 'string')
    assert.equal(_page.scraper, 'heading@2')
  }
})

test('re-extraction refuses a job without stored pages; if single pages are missing, it counts them and keeps their records', async () => {
  await using site = await startTestSite()
  await using place = await Workplace.open()
  await crawled(site, place, 4)
  await rm(place.file('.kscrape/blobs/jobs/site/segments'), { recursive: true })
  const gone = await place.run(['reextract', 'site', '--rules', 'rules.yaml'])
  assert.equal(gone.code, 1)
  assert.match(gone.stderr, /4 whose page is not stored/)
  assert.equal((await countsOf(place)).records, 4)

  await using other = await Workplace.open()
  await crawled(site, other, 2, ['--no-raw'])
  const refused = await other.run(['reextract', 'site', '--rules', 'rules.yaml'])
  assert.equal(refused.code, 1)
  assert.match(refused.stderr, /stored no raw pages/)
})

test('re-extraction replaces the files of items with files that have the new records', async () => {
  await using site = await startTestSite()
  await using place = await Workplace.open()
  await writeFile(place.file('rules.yaml'), rules)
  const job = {
    job_id: 'site',
    urls: [`${site.url}/about`],
    results: { layout: 'items' },
    output: ['out.jsonl'],
  }
  await writeFile(place.file('job.json'), JSON.stringify(job))
  const created = await place.run(['jobs', 'create', 'job.json', ...quick(site)])
  assert.equal(created.code, 0, created.stderr)
  assert.equal((await place.run(['reextract', 'site', '--rules', 'rules.yaml'])).code, 0)
  const folder = '.kscrape/blobs/jobs/site/items/task-1'
  const [data] = JSON.parse(await readFile(place.file(`${folder}/data.json`), 'utf8'))
  assert.deepEqual(Object.keys(data), ['heading', 'nothing'])
  const { scraper } = JSON.parse(await readFile(place.file(`${folder}/metadata.json`), 'utf8'))
  assert.match(scraper, /^rules@/)
})

test('if a page fails with the new rules, re-extraction reports this and keeps the old record of the page', async () => {
  await using site = await startTestSite()
  await using place = await Workplace.open()
  await crawled(site, place, 3)
  await mkdir(place.file('scrapers'))
  await writeFile(
    place.file('scrapers/strict.ts'),
    `export default { id: 'strict', version: '1', name: 'strict', description: '',
      async run({ url, open, emit }) { const page = await open(url); if (new URL(url).pathname === '/') throw new Error('no front page'); emit({ ok: true }) } }`,
  )
  const { code, stderr } = await place.run(['reextract', 'site', '--scraper', 'strict', '-o', 'new.jsonl'])
  assert.equal(code, 3)
  assert.match(stderr, /site\.1: .*no front page/)
  const makers = (await place.records('new.jsonl')).map(({ _page }) => _page.scraper).sort()
  assert.deepEqual(makers, ['page@1', 'strict@1', 'strict@1'])
})

const scraperThat = (version: string, selector: string) =>
  `export default { id: 'lamp', version: '${version}', name: 'lamp', description: '',
    async run({ open, emit }) { const page = await open(); page.expect('${selector}', /lamp/i); emit({ name: page.text('${selector}') }) } }`

const stateOf = async (place: Workplace) =>
  JSON.parse((await place.run(['jobs', 'show', 'site', '--json'])).stdout) as {
    state: string
    counts: { by_state: Record<string, number>; by_reason: Record<string, number> }
  }

test('a task that failed because the site changed succeeds with an updated scraper', async () => {
  await using site = await startTestSite()
  await using place = await Workplace.open()
  await mkdir(place.file('scrapers'))
  await writeFile(place.file('scrapers/lamp.ts'), scraperThat('1', 'h1'))
  site.serve('/old', '<h1>Red lamp</h1>')
  site.serve('/new', '<h2 class="name">Blue lamp</h2>')
  await writeFile(place.file('urls.txt'), ['/old', '/new', '/gone'].map(path => site.url + path).join('\n'))
  const list = ['run', 'urls.txt', '--scraper', 'lamp', '--job', 'site', '-o', 'out.jsonl']
  assert.equal((await place.run([...list, ...quick(site)])).code, 3)
  assert.deepEqual((await stateOf(place)).counts.by_reason, {
    ok: 1,
    'extract.site-changed': 1,
    'http.not-found': 1,
  })

  await writeFile(place.file('scrapers/lamp.ts'), scraperThat('2', 'h1, .name'))
  const asked = site.requests.length
  const { code, stderr } = await place.run(['reextract', 'site', '--scraper', 'lamp@2', '-o', 'new.jsonl'])
  assert.equal(code, 0, stderr)
  assert.match(stderr, /2 records from 2 pages, 1 of them had failed before/)
  assert.equal(site.requests.length, asked)
  const { state, counts } = await stateOf(place)
  assert.equal(state, 'partially_completed', 'a page that does not exist still fails')
  assert.deepEqual(counts.by_reason, { ok: 2, 'http.not-found': 1 })
  assert.deepEqual((await place.records('new.jsonl')).map(({ name }) => name).sort(), [
    'Blue lamp',
    'Red lamp',
  ])
  checkStore(place)
})

test('if re-extraction repairs all failures of a job, the job is completed', async () => {
  await using site = await startTestSite()
  await using place = await Workplace.open()
  await mkdir(place.file('scrapers'))
  await writeFile(place.file('scrapers/lamp.ts'), scraperThat('1', 'h1'))
  site.serve('/new', '<h2>Blue lamp</h2>')
  const flags = ['--scraper', 'lamp', '--job', 'site', '-o', 'out.jsonl', ...quick(site)]
  await writeFile(place.file('urls.txt'), `${site.url}/new\n`)
  await place.run(['run', 'urls.txt', ...flags])
  assert.equal((await stateOf(place)).state, 'failed')
  await writeFile(place.file('scrapers/lamp.ts'), scraperThat('2', 'h2'))
  assert.equal((await place.run(['reextract', 'site', '-o', 'new.jsonl'])).code, 0)
  assert.equal((await stateOf(place)).state, 'completed')
})
