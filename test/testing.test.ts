// Tests kscrape/testing: scrapers run on given pages and on recordings, with the types of their schemas.
import assert from 'node:assert/strict'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import * as v from 'valibot'
import * as z from 'zod'
import { defineScraper } from '../src/scraper/define-scraper.ts'
import { record, replay, runScraper } from '../src/testing.ts'
import { startTestSite } from './site/index.ts'

const parcel = defineScraper({
  id: 'parcel',
  input: z.object({ parcel: z.string().regex(/^\d+$/) }),
  output: z.object({ parcel: z.string(), owner: z.string().nullable(), due: z.number() }),
  async run({ input, open, emit }) {
    const page = await open(`https://tax.example/${input.parcel}`)
    const api = await open(`https://tax.example/api/${input.parcel}?b=2&a=1`)
    const { due } = api.json() as { due: number }
    emit({ parcel: input.parcel, owner: page.text('.owner'), due })
  },
})

const pages = {
  'https://tax.example/7': '<b class="owner">Ann</b>',
  'https://tax.example/api/7?b=2&a=1': { body: { due: 12 } },
}

test('the type of a record comes from the output schema, and the type of the input from the input schema', async () => {
  const [first] = await runScraper(parcel, { input: { parcel: '7' }, pages })
  const owner: string | null | undefined = first?.owner
  assert.equal(owner, 'Ann')
  assert.equal(first?.due, 12)
  // @ts-expect-error the output schema has no such field
  assert.equal(first?.street, undefined)
  // @ts-expect-error the input schema asks for a string
  await assert.rejects(runScraper(parcel, { input: { parcel: 7 }, pages }), { code: 'input.invalid' })
})

test('input that the schema refuses is refused in the same way as in a job', async () => {
  await assert.rejects(runScraper(parcel, { input: { parcel: 'x' }, pages }), { code: 'input.invalid' })
})

test('if a scraper requests a page that was not given, the error names the page, and the network is not used', async () => {
  await assert.rejects(runScraper(parcel, { input: { parcel: '8' }, pages }), {
    code: 'replay.unrecorded',
    message: /GET https:\/\/tax\.example\/8 is not one of the given pages: GET https:\/\/tax\.example\/7/,
  })
})

test('a scraper with rules can run on given pages too, and its schemas may come from any library', async () => {
  const titles = defineScraper({
    id: 'titles',
    rules: { fields: { title: 'h1', price: { css: 'b', as: 'number' } } },
  })
  const url = 'https://shop.example/'
  assert.deepEqual(await runScraper(titles, { url, pages: { [url]: '<h1>Hi</h1><b>1,5 €</b>' } }), [
    { title: 'Hi', price: 1.5 },
  ])
  const other = defineScraper({
    id: 'other',
    output: v.object({ status: v.number() }),
    async run({ open, emit }) {
      emit({ status: (await open()).status })
    },
  })
  const [found] = await runScraper(other, { url, pages: { [url]: { status: 203, body: '' } } })
  assert.equal(found?.status satisfies number | undefined, 203)
})

test('the key of a given page must be an absolute URL', async () => {
  await assert.rejects(runScraper(parcel, { input: { parcel: '7' }, pages: { '/7': '' } }), {
    code: 'input.invalid',
  })
})

test('a recorded run can be replayed any number of times, without the site', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'kscrape-testing-'))
  const to = join(folder, 'kept', 'run.warc.gz')
  try {
    const site = await startTestSite()
    const { url, host, port } = site
    const visits = defineScraper({
      id: 'visits',
      output: z.object({ first: z.string().nullable(), second: z.string().nullable() }),
      async run({ open, emit }) {
        const asked = async (n: string) => (await open(`${url}/ask`, { form: { n } })).text('p')
        emit({ first: await asked('1'), second: await asked('2') })
      },
    })
    site.serve('/ask', '<p>an answer</p>')
    const settings = { allowPrivate: [`${host}:${port}`], rate: 'unlimited' as const }
    const live = await record(visits, { url: `${url}/`, to, settings })
    await site.close()
    assert.deepEqual(live, [{ first: 'an answer', second: 'an answer' }])
    const recording = replay(to)
    assert.equal(recording.requests.length, 2)
    assert.notEqual(recording.requests[0], recording.requests[1])
    for (let run = 0; run < 2; run++)
      assert.deepEqual(await runScraper(visits, { url: `${url}/`, pages: recording }), live)
  } finally {
    await rm(folder, { recursive: true })
  }
})

test('the error for a missing recording names the recording', () => {
  assert.throws(() => replay('nowhere.warc.gz'), /nowhere\.warc\.gz can't be read/)
})
