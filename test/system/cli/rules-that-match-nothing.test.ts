// Tests rules that match nothing: the command line, the library and the APIs name these rules, and say how to test them.
import assert from 'node:assert/strict'
import { writeFile } from 'node:fs/promises'
import { after, before, test } from 'node:test'
import { ScrapeApi } from '../../support/scrape-api.ts'
import { Workplace } from '../run-cli.ts'

let api: ScrapeApi
let place: Workplace
before(async () => {
  api = await ScrapeApi.open()
  api.site.serve('/shell', '<title>App</title><div id="root"></div><script src="/app.js"></script>')
  place = await Workplace.open()
  await writeFile(place.file('empty.yaml'), 'fields: { title: h1.none, price: .nope }\n')
  await writeFile(
    place.file('required.yaml'),
    'fields: { title: h1, price: { css: .nope, required: true } }\n',
  )
  await writeFile(place.file('each.yaml'), 'each: .nope\nfields: { title: h1 }\n')
})
after(async () => {
  await place?.[Symbol.asyncDispose]()
  await api?.[Symbol.asyncDispose]()
})

const run = (...words: string[]) => {
  const { host, port } = api.site
  return place.run([...words, '--rate', 'unlimited', '--allow-private', `${host}:${port}`])
}

test('for one page, stderr names the rules that match nothing and suggests kscrape try, and the exit code is 6', async () => {
  const page = `${api.site.url}/about`
  const required = await run(page, '--extract', 'required.yaml')
  assert.deepEqual([required.code, required.stdout], [6, ''])
  assert.match(
    required.stderr,
    /required fields are not found: price \(\.nope\); kscrape try http\S+ --extract/,
  )
  const each = await run(page, '--extract', 'each.yaml')
  assert.equal(each.code, 6)
  assert.match(each.stderr, /`each` \(\.nope\) matches nothing; kscrape try/)
  const empty = await run(page, '--extract', 'empty.yaml')
  assert.equal(empty.code, 0)
  assert.match(empty.stderr, /no rule matches: title \(h1\.none\), price \(\.nope\); kscrape try/)
})

test('for a page that is empty without its scripts, the message suggests --render auto', async () => {
  const { stderr } = await run(`${api.site.url}/shell`, '--render', 'never', '--extract', 'required.yaml')
  assert.match(stderr, /price \(\.nope\).*--render auto/)
})

test('when a crawl ends, its output names the rules that matched on none of its pages', async () => {
  const { code, stderr } = await run('crawl', api.site.url, '--max-pages', '3', '--extract', 'required.yaml')
  assert.equal(code, 6)
  assert.match(stderr, /warnings: 3 extract\.no-match/)
  assert.equal(stderr.match(/price \(\.nope\); kscrape try/g)?.length, 1)
})

test('if a required rule matches nothing, kscrape try shows what the other rules find on the page', async () => {
  const { stdout } = await run('try', `${api.site.url}/about`, '--extract', 'required.yaml')
  assert.match(stdout, /no record, because required fields are not found: price \(\.nope\)$/m)
  assert.match(stdout, /title +css h1$/m)
})

test('in the scrape API, a completed task without a result has a notice', async () => {
  const body = {
    ...{ url: `${api.site.url}/about`, target_type: 'page' },
    options: { extract: { fields: { price: { css: '.nope', required: true } } } },
  }
  const { status, body: answer } = await api.ask<{ result: null; notices: Array<{ code: string }> }>(
    '/sync',
    {
      body,
    },
  )
  assert.equal(status, 200)
  assert.equal(answer.data.result, null)
  assert.deepEqual(
    answer.data.notices.map(({ code }) => code),
    ['extract.no-match'],
  )
})
