// Tests the picker in a real browser: lists with twelve, one and no rows, nested cards, tables, pages with files, and empty shells.
import assert from 'node:assert/strict'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { after, before, test } from 'node:test'
import type { FrameLocator, Page } from 'playwright-core'
import { listPages } from '../picker/list-pages.ts'
import { type ShownDashboard, showDashboard } from '../support/dashboard.ts'

const card = (index: number): string =>
  `<div class="card"><h2><a href="/p/${index}">Thing ${index}</a></h2><span class="price">$${index}.50</span><button>Add to cart</button></div>`
const cards = (rows: number, from = 0): string =>
  Array.from({ length: rows }, (_, index) => card(from + index)).join('')
const html = (body: string, head = ''): string =>
  `<!doctype html><html><head><title>Goods</title>${head}</head><body><h1>Goods</h1>${body}</body></html>`
const pixel = Buffer.from('R0lGODlhAQABAIAAAP8AAAAAACwAAAAAAQABAAACAkQBADs=', 'base64')

const pages: Record<string, string> = {
  '/twelve': html(
    `<nav class="menu"><ul><li><a href="/a">Hidden menu</a></li></ul></nav><div class="list">${cards(12)}</div><img class="logo" src="/logo.gif" alt=""><a class="next" href="/twelve?page=2">Next</a>`,
    '<link rel="stylesheet" href="/style.css">',
  ),
  '/twelve?page=2': html(`<div class="list">${cards(5, 12)}</div>`),
  '/one': html(`<div class="list">${cards(1)}</div>`),
  '/none': html('<div class="list"></div><p class="empty">Nothing was found</p>'),
  '/nested': listPages.find(({ name }) => name === 'cards in sections')!.html,
  '/table': listPages.find(({ name }) => name === 'a plain table')!.html,
  '/shell': html(
    `<div id="root"></div><script src="/app.js"></script>`.replace('<h1>Goods</h1>', ''),
  ).replace('<h1>Goods</h1>', ''),
}

let site: Server
let base: string
let shown: ShownDashboard
let page: Page
let frame: FrameLocator
const asked: string[] = []

before(async () => {
  site = createServer((request, response) => {
    const url = request.url ?? '/'
    asked.push(url)
    const send = (type: string, body: string | Buffer) =>
      response.writeHead(200, { 'content-type': type }).end(body)
    if (url === '/style.css')
      return send(
        'text/css',
        '@import "more.css"; .menu { display: none } .card { border: 3px solid rgb(1, 2, 3) }',
      )
    if (url === '/more.css') return send('text/css', 'h1 { background: url(logo.gif) }')
    if (url === '/logo.gif') return send('image/gif', pixel)
    if (url === '/app.js')
      return send(
        'text/javascript',
        `document.getElementById('root').innerHTML = ${JSON.stringify(`<h1>Made by a script</h1>${cards(3)}`)}`,
      )
    const item = /^\/p\/(\d+)$/.exec(url)
    if (item) return send('text/html', html(`<p class="sku">SKU-${item[1]}</p>`))
    const found = pages[url]
    return found ? send('text/html', found) : response.writeHead(404).end()
  })
  await new Promise<void>(done => site.unref().listen(0, '127.0.0.1', done))
  const place = `127.0.0.1:${(site.address() as AddressInfo).port}`
  base = `http://${place}`
  shown = await showDashboard({ settings: { allowPrivate: [place], rate: 'unlimited' } })
  page = (await shown.signedIn()).page
  frame = page.frameLocator('iframe.frame')
})

after(async () => {
  await shown?.[Symbol.asyncDispose]()
  site.closeAllConnections()
  await new Promise(done => site.close(done))
})

async function look(path: string): Promise<void> {
  await page.goto(`${shown.service.url}/#/jobs`)
  // Waits until the frame of the previous page is gone, because a click in that frame would pick nothing.
  await page.locator('iframe.frame').waitFor({ state: 'detached' })
  await page.goto(`${shown.service.url}/#/new`)
  await page.getByLabel('Address').fill(base + path)
  await button('Load page').click()
  await frame.locator('body[data-kscrape-node]').waitFor()
}

const button = (name: string | RegExp) => page.getByRole('button', { name })
const says = (text: string | RegExp) => page.getByRole('status').getByText(text).first().waitFor()
const inFrame = (text: string) => frame.getByText(text, { exact: true }).first().click()

/** Returns the table of extracted records when it has this many rows and columns. */
async function table(rows: number, columns: number): Promise<{ head: string[]; first: string[] }> {
  const all = page.locator('.scroll-x.tall table')
  await all.locator(`th:nth-child(${columns})`).waitFor()
  await all.locator(`tbody tr:nth-child(${rows})`).waitFor()
  assert.equal(await all.locator('tbody tr').count(), rows)
  const texts = (texts: string[]) => texts.map(text => text.replace(/\s+/g, ' ').trim())
  return {
    head: texts(await all.locator('th').allTextContents()),
    first: texts(await all.locator('tbody tr').first().locator('td').allTextContents()),
  }
}

test('a click on a name in a list of twelve offers one record per item, and the job follows links to the next pages', async () => {
  await look('/twelve')
  await inFrame('Thing 3')
  await says('12 similar items. Make one record per item?')
  await button('One record each').click()
  await says('12 rows')
  await button(/\+ price/).click()
  const { head, first } = await table(12, 3)
  assert.deepEqual(head, ['name 100 %', 'link 100 %', 'price 100 %'])
  assert.equal(first[0], 'Thing 0')
  assert.equal(await frame.locator('[data-kscrape-row]').count(), 12)
  await page.getByLabel(/follow the next pages, like \/twelve\?page=2/).check()
  await page.getByLabel('Job id').fill('both-pages')
  await button('Start the job').click()
  await page.getByText('Completed', { exact: true }).first().waitFor()
  const { body } = await shown.service.ask<{ items: Array<{ data: { name: string } }> }>(
    '/jobs/both-pages/results?status=success&limit=100',
  )
  assert.deepEqual(
    body.items.map(({ data }) => data.name).sort(),
    Array.from({ length: 17 }, (_, index) => `Thing ${index}`).sort(),
  )
})

test('the preview looks like the real page: it has style sheets and images, and hidden menus stay hidden', async () => {
  await look('/twelve')
  const styleOf = (css: string, name: string) =>
    frame
      .locator(css)
      .first()
      .evaluate((element, name) => getComputedStyle(element).getPropertyValue(name), name)
  assert.equal(await styleOf('.card', 'border-top-color'), 'rgb(1, 2, 3)')
  assert.equal(await styleOf('.menu', 'display'), 'none')
  assert.match(await styleOf('h1', 'background-image'), /^url\("data:image\/gif;base64,/)
  await frame.locator('img.logo[src^="data:image/gif"]').waitFor()
})

test('a list with a single row is offered, and for a page without rows, fields of the page are offered', async () => {
  await look('/one')
  await inFrame('Thing 0')
  await says('This looks like a list with one item. Make one record per item?')
  await button('One record each').click()
  assert.equal((await table(1, 1)).first[0], 'Thing 0')
  await look('/none')
  await inFrame('Nothing was found')
  await page.getByText('= Nothing was found').waitFor()
  assert.equal(await page.getByText('Make one record per item?').count(), 0)
})

test('each card in a section or a table gives a record, and a click in another row adds a second field', async () => {
  for (const [path, name, price] of [
    ['/nested', 'Ash oar', '€ 240.00'],
    ['/table', 'Ash oar', '€ 240.00'],
  ] as const) {
    await look(path)
    await inFrame(name)
    await says('12 similar items. Make one record per item?')
    await button('One record each').click()
    await inFrame(price)
    const { head } = await table(12, 3)
    assert.deepEqual(head, ['name 100 %', 'link 100 %', 'price 100 %'], path)
  }
})

test('links from the rows to their detail pages are followed', async () => {
  await look('/twelve')
  await inFrame('Thing 3')
  await button('One record each').click()
  await button('Add fields from the page of each item').click()
  await inFrame('SKU-0')
  await page.getByText('= SKU-0').waitFor()
  assert.equal(await page.getByLabel('Only URLs like').inputValue(), '/p/*')
  assert.equal(await page.getByLabel('Address').inputValue(), `${base}/twelve`)
})

test('a page that is empty without scripts is automatically loaded in a browser, and the dashboard says so', async () => {
  await look('/shell')
  await says('The page is empty without a browser, so a browser loaded it')
  await inFrame('Thing 1')
  await says('3 similar items. Make one record per item?')
})
