// Tests a scraper with handlers: pages of a list lead to detail pages, and the record of each detail page is joined with its
// reviews.
import assert from 'node:assert/strict'
import { afterEach, beforeEach, test } from 'node:test'
import type { RecordData, StoredRecord } from '../../src/model/record.ts'
import { defineScraper, type HandlerContext } from '../../src/scraper/define-scraper.ts'
import { TestEngine } from '../support/engine.ts'
import { html, ListeningSite } from '../support/listening-site.ts'

const shop = defineScraper({
  id: 'shop',
  async run({ open, follow }) {
    const list = await open()
    for (const [index, name] of list.all('a.product').entries())
      follow(`/${name}`, { to: 'detail', data: { rank: index + 1, shelf: list.text('h2') } })
    const next = list.attr('a.next', 'href')
    if (next) follow(next)
  },
  handlers: {
    async detail({ open, emit, data }: HandlerContext<RecordData, { rank: number; shelf: string }>) {
      const page = await open()
      const reviews = await open(page.attr('a.reviews', 'href')!)
      emit({ name: page.text('h2'), ...data, reviews: reviews.all('li') })
    },
  },
})

let site: ListeningSite
beforeEach(async () => {
  const product = (name: string) =>
    html(`<h2>${name}</h2><a class="reviews" href="/reviews/${name}">Reviews</a>`)
  const list = (shelf: string, names: string[], more = '') =>
    html(
      `<h2>${shelf}</h2>${names.map(name => `<a class="product" href="/${name}">${name}</a>`).join('')}${more}`,
    )
  site = await ListeningSite.open({
    '/': list('one', ['lamp', 'desk'], '<a class="next" href="/page2">next</a>'),
    '/page2': list('two', ['chair', 'lamp']),
  })
  for (const name of ['lamp', 'desk', 'chair']) {
    site.pages[`/${name}`] = product(name)
    site.pages[`/reviews/${name}`] = html(`<ul><li>good ${name}</li><li>bad ${name}</li></ul>`)
  }
})
afterEach(() => site[Symbol.asyncDispose]())

async function recordsOf({ engine }: TestEngine, jobId: string): Promise<StoredRecord[]> {
  const { store } = engine.data
  const tasks = await store.tasks.list(jobId)
  return (await Promise.all(tasks.map(({ n }) => store.records.ofTask(jobId, n)))).flat()
}

const spec = () => ({
  urls: [`${site.url}/`],
  scraperId: 'shop',
  policy: { host: { rate: 'unlimited' as const } },
})

test('a handler gets the data of the link, and the scraper can join records of several pages', async () => {
  await using engine = await TestEngine.open({ settings: { allowPrivate: [site.place] }, scrapers: [shop] })
  const { job } = await engine.run(spec())
  const stored = await recordsOf(engine, job.id)
  const records = stored.map(({ data }) => JSON.parse(data) as { name: string })
  assert.deepEqual(
    records.sort((a, b) => a.name.localeCompare(b.name)),
    [
      { name: 'chair', rank: 1, shelf: 'two', reviews: ['good chair', 'bad chair'] },
      { name: 'desk', rank: 2, shelf: 'one', reviews: ['good desk', 'bad desk'] },
      { name: 'lamp', rank: 1, shelf: 'one', reviews: ['good lamp', 'bad lamp'] },
    ],
  )
  assert.ok(
    stored.every(({ input }) => input === null),
    'data of a link is not an input row',
  )
})

test('if a link names a handler that the scraper lacks, the task fails, and the error names the handler', async () => {
  const wrong = defineScraper({
    id: 'shop',
    async run({ open, follow }) {
      await open()
      follow('/lamp', { to: 'details' })
    },
    handlers: { detail() {} },
  })
  await using engine = await TestEngine.open({ settings: { allowPrivate: [site.place] }, scrapers: [wrong] })
  const { job } = await engine.run(spec())
  const [task] = await engine.engine.data.store.tasks.list(job.id)
  assert.equal(task?.reason, 'scraper.failed')
  assert.match(task?.message ?? '', /has no handler "details"; it has detail/)
})
