// Tests runs of a scraper's code on pages that the test supplies, and the check of records against the schema.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import * as v from 'valibot'
import * as z from 'zod'
import { Failure } from '../../../model/failures.ts'
import type { Page } from '../../../model/page/page.ts'
import { defineScraper, type OpenOptions, type Scraper } from '../../../scraper/define-scraper.ts'
import { ScraperSession } from './scraper-session.ts'

const never = new AbortController().signal

function pageOf(url: string, html: string): Page {
  return {
    ...{ url, finalUrl: url, status: 200, headers: [['content-type', 'text/html']], body: Buffer.from(html) },
    ...{ wireBytes: html.length, hops: [], remoteAddress: null, httpVersion: '1.1' },
    ...{ startedAt: 0, sentAt: 0, endedAt: 0 },
  }
}

/** Runs the scraper with these pages (by path), and returns the requests that it made. */
async function run(scraper: Scraper, pages: Record<string, string> = {}, input: unknown = null) {
  const asked: Array<[string, OpenOptions]> = []
  const session = new ScraperSession(
    scraper,
    { url: 'https://site.example/', input: input === null ? null : JSON.stringify(input) },
    async (url, options) => {
      asked.push([url, options])
      return pageOf(url, pages[new URL(url).pathname] ?? '')
    },
    never,
  )
  await session.run()
  return { session, asked }
}

const failsWith = (code: string, message: RegExp) => (error: unknown) =>
  error instanceof Failure && error.code === code && message.test(error.message)

test('an invalid value is left out with a note, and the rest of the record stays', async () => {
  const scraper = defineScraper({
    id: 'partial',
    output: z.object({ name: z.string().nullable(), price: z.number().nullable() }),
    run: ({ emit }) => emit({ name: 'Cup', price: 'free' as never }),
  })
  const { session } = await run(scraper)
  const [{ data, provenance } = assert.fail()] = session.emitted
  assert.deepEqual(data, { name: 'Cup', price: null })
  assert.deepEqual(provenance.name, { from: 'scraper' })
  assert.match(provenance.price?.wrong ?? '', /number/)
})

test('input and output schemas may come from any Standard Schema library, such as valibot', async () => {
  const scraper = defineScraper({
    id: 'valibot',
    input: v.object({ code: v.pipe(v.string(), v.length(3)) }),
    output: v.object({ code: v.string(), size: v.nullable(v.number()) }),
    run: ({ input, emit }) => emit({ code: input.code.toUpperCase(), size: null }),
  })
  const { session } = await run(scraper, {}, { code: 'abc' })
  assert.deepEqual(session.emitted[0]?.data, { code: 'ABC', size: null })
  assert.deepEqual(session.emitted[0]?.provenance.size, { from: 'none', why: 'the scraper found none' })
  await assert.rejects(
    run(scraper, {}, { code: 'abcd' }),
    failsWith('input.invalid', /valibot@1 is wrong: code:/),
  )
})

test('a scraper can state the source of its fields', async () => {
  const scraper = defineScraper({
    id: 'sources',
    run: ({ emit }) => emit({ title: 'A' }, { title: { from: 'css', by: 'h1' } }),
  })
  const { session } = await run(scraper)
  assert.deepEqual(session.emitted[0]?.provenance, { title: { from: 'css', by: 'h1' } })
})

test('a returned value that is not a record is refused', async () => {
  const scraper = defineScraper({ id: 'text', run: ({ emit }) => emit('hello' as never) })
  await assert.rejects(
    run(scraper),
    failsWith('scraper.failed', /text@1 emitted a value that is not a record/),
  )
})

const judged = (validate: NonNullable<Scraper['validate']>) =>
  defineScraper({
    id: 'judged',
    validate,
    async run({ open, emit }) {
      emit({ title: (await open()).text('h1') })
    },
  })

test('a scraper’s own check refuses an error page that has status 200', async () => {
  const pages = { '/': '<h1>Service unavailable</h1>' }
  const returns = judged((records, page) =>
    page?.text('h1')?.includes('unavailable') ? `${records.length} record of an error page` : null,
  )
  await assert.rejects(
    run(returns, pages),
    failsWith('extract.site-changed', /site\.example\/: 1 record of an error page/),
  )
  const throws = judged(() => {
    throw new Error('not what I know')
  })
  await assert.rejects(run(throws, pages), failsWith('extract.site-changed', /not what I know/))
  await run(
    judged(() => {}),
    pages,
  )
})

test('a form is posted with its hidden fields and the given values', async () => {
  const scraper = defineScraper({
    id: 'posts',
    async run({ open, submit, emit }) {
      const search = await open()
      const found = await submit(search.form('form'), { q: 'oak' })
      emit({ found: found.text('p') })
    },
  })
  const html =
    '<form method="post" action="/find"><input type="hidden" name="state" value="7"><input name="q"></form>'
  const { session, asked } = await run(scraper, { '/': html, '/find': '<p>yes</p>' })
  assert.deepEqual(asked[1], [
    'https://site.example/find',
    { method: 'POST', form: { state: '7', q: 'oak' } },
  ])
  assert.deepEqual(session.emitted[0]?.data, { found: 'yes' })
})

test('a form with method GET is sent as a query', async () => {
  const scraper = defineScraper({
    id: 'asks',
    async run({ open, submit }) {
      await submit((await open()).form('form'), { tag: ['a', 'b'] })
    },
  })
  const { asked } = await run(scraper, { '/': '<form action="/s?old=1"><input name="q" value="x y"></form>' })
  assert.equal(asked[1]?.[0], 'https://site.example/s?q=x+y&tag=a&tag=b')
})

test('relative URLs are resolved against the previous page', async () => {
  const scraper = defineScraper({
    id: 'walks',
    async run({ open }) {
      await open('https://site.example/a/b')
      await open('c')
    },
  })
  assert.equal((await run(scraper)).asked[1]?.[0], 'https://site.example/a/c')
})
