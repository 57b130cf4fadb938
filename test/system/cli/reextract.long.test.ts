// Tests re-extraction: new rules over stored pages, without requests. More cases are in reextract.nightly.test.ts.
import assert from 'node:assert/strict'
import { readFile, writeFile } from 'node:fs/promises'
import { test } from 'node:test'
import { startTestSite } from '../../site/index.ts'
import { Workplace } from '../run-cli.ts'
import { checkStore, countsOf, crawled, quick } from './reextracting.ts'

test('new rules run over the stored pages without a request, and the records name the rules', async () => {
  await using site = await startTestSite()
  await using place = await Workplace.open()
  await crawled(site, place)
  const before = await countsOf(place)
  const fetched = new Map(
    (await place.records('out.jsonl')).map(({ _page }) => [_page.task_id, _page.fetched_at]),
  )
  const asked = site.requests.length

  const { code, stderr } = await place.run([
    'reextract',
    'site',
    '--rules',
    'rules.yaml',
    '-o',
    'new.jsonl',
    '-o',
    'new.csv',
  ])
  assert.equal(code, 0, stderr)
  assert.match(stderr, /30 records from 30 pages/)
  assert.equal(site.requests.length, asked)

  const records = await place.records('new.jsonl')
  assert.equal(records.length, 30)
  let headings = 0
  for (const { heading, nothing, _page } of records) {
    if (heading !== null) headings++
    assert.equal(nothing, null)
    assert.match(String(_page.scraper), /^rules@[0-9a-f]{8}$/)
    assert.equal(_page.fetched_at, fetched.get(_page.task_id), 'a record is as old as its page')
  }
  assert.ok(headings >= 20, `only ${headings} pages have a heading`)
  assert.match(await readFile(place.file('new.csv'), 'utf8'), /^heading,nothing/)
  assert.deepEqual(await countsOf(place), { ...before, records: 30 })
  const explained = await place.run(['explain', 'site', `${site.url}/`])
  assert.match(explained.stdout, /heading.*h1/)
  checkStore(place)
})

for (const layout of ['segments', 'items'])
  test(`a scraper with several steps can run again over all the pages that it opened (${layout})`, async () => {
    await using site = await startTestSite()
    await using place = await Workplace.open()
    const input = { parcel: '123-45-678', base_url: `${site.url}/maricopa` }
    const job = {
      ...{ job_id: 'site', scraper_id: 'maricopa-az', items: [{ item_id: 'one', input }] },
      ...{ results: { layout }, output: ['out.jsonl'] },
    }
    await writeFile(place.file('job.json'), JSON.stringify(job))
    const created = await place.run(['jobs', 'create', 'job.json', ...quick(site)])
    assert.equal(created.code, 0, created.stderr)
    const asked = site.requests.length
    for (let times = 0; times < 2; times++) {
      const { code, stderr } = await place.run(['reextract', 'site', '-o', 'new.jsonl'])
      assert.equal(code, 0, stderr)
      const [old, made] = [await place.records('out.jsonl'), await place.records('new.jsonl')]
      assert.deepEqual(made, old)
    }
    assert.equal(site.requests.length, asked)
  })
