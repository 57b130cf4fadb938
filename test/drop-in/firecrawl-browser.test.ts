// Tests Firecrawl's actions, screenshots and waits with our browser.
import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { type Document, FirecrawlApi } from '../support/firecrawl.ts'

const playground = `<title>Start</title><input id="name" autofocus><button id="add">add</button><ul id="list"></ul>
  <div id="box" style="height:50px;overflow:auto"><div style="height:2000px"></div></div>
  <div style="height:3000px"></div><script>
  document.querySelector('#add').onclick = () => {
    const item = document.createElement('li'); item.textContent = document.querySelector('#name').value
    item.onclick = () => item.classList.add('hit'); item.className = 'item'; document.querySelector('#list').append(item) }
  setTimeout(() => document.body.append(Object.assign(document.createElement('p'), { id: 'late', textContent: 'came late' })), 200)
  </script>`

const png = /^data:image\/png;base64,iVBORw0KGgo/
const sizeOf = (dataUrl: unknown): { width: number; height: number } => {
  const bytes = Buffer.from(String(dataUrl).split(',')[1]!, 'base64')
  return { width: bytes.readUInt32BE(16), height: bytes.readUInt32BE(20) }
}

describe('in the browser', () => {
  let api: FirecrawlApi
  before(async () => {
    api = await FirecrawlApi.open()
    api.site.serve('/play', playground)
  })
  after(() => api?.[Symbol.asyncDispose]())
  const scrape = (options: Record<string, unknown>, path = '/play'): Promise<Document> =>
    api.client.scrape(`${api.site.url}${path}`, options)

  test('all nine kinds of actions run in order, and their results are grouped by kind', async () => {
    const page = await scrape({
      formats: ['markdown', 'screenshot'],
      actions: [
        { type: 'wait', selector: '#late' },
        { type: 'click', selector: '#name' },
        { type: 'write', text: 'Ada {{row.name}}' },
        { type: 'press', key: 'Tab' },
        { type: 'click', selector: '#add' },
        { type: 'click', selector: '#add' },
        { type: 'click', selector: '.item', all: true },
        { type: 'scrape' },
        { type: 'scroll', direction: 'down' },
        { type: 'executeJavascript', script: 'window.scrollY > 0' },
        { type: 'scroll', direction: 'up' },
        { type: 'executeJavascript', script: 'window.scrollY' },
        { type: 'scroll', direction: 'down', selector: '#box' },
        { type: 'executeJavascript', script: 'document.querySelector("#box").scrollTop > 0' },
        { type: 'executeJavascript', script: '({ hits: document.querySelectorAll(".hit").length })' },
        { type: 'screenshot', fullPage: true },
        { type: 'pdf', format: 'A4', landscape: true },
        { type: 'wait', milliseconds: 10 },
      ],
    })
    assert.match(String(page.markdown), /came late/)
    assert.match(String(page.markdown), /Ada \\?\{\\?\{row\.name\\?\}\\?\}/)
    const { screenshots, scrapes, javascriptReturns, pdfs } = page.actions as {
      screenshots: string[]
      scrapes: Array<{ url: string; html: string }>
      javascriptReturns: unknown[]
      pdfs: string[]
    }
    assert.deepEqual(javascriptReturns, [
      { type: 'boolean', value: true },
      { type: 'number', value: 0 },
      { type: 'boolean', value: true },
      { type: 'object', value: { hits: 2 } },
    ])
    assert.equal(scrapes.length, 1)
    assert.match(scrapes[0]!.html, /class="item hit"/)
    assert.equal(screenshots.length, 1)
    assert.ok(sizeOf(screenshots[0]).height > 3_000)
    assert.match(pdfs[0]!, /^data:application\/pdf;base64,JVBERi/)
    assert.match(String(page.screenshot), png)
    assert.ok(sizeOf(page.screenshot).height < 3_000)
  })

  test('a screenshot has the requested size, and is a JPEG if a quality is given', async () => {
    const shot = async (options: object) =>
      (await scrape({ formats: [{ type: 'screenshot', ...options }] })).screenshot
    assert.deepEqual(sizeOf(await shot({ viewport: { width: 500, height: 400 } })), {
      width: 500,
      height: 400,
    })
    assert.match(String(await shot({ quality: 30 })), /^data:image\/jpeg;base64,\/9j/)
    const [whole] = [
      await api.client.v1.scrapeUrl(`${api.site.url}/play`, { formats: ['screenshot@fullPage'] }),
    ]
    assert.ok(sizeOf(whole!.screenshot).height > 3_000)
  })

  test('after a wait action the page includes late content, and the option mobile emulates a phone', async () => {
    assert.match(String((await scrape({ waitFor: 1_500 })).markdown), /came late/)
    api.site.serve(
      '/width',
      '<meta name="viewport" content="width=device-width"><h1></h1><script>document.querySelector("h1").textContent = innerWidth < 600 ? "narrow" : "wide"</script>',
    )
    assert.match(String((await scrape({ mobile: true }, '/width')).markdown), /narrow/)
  })

  test('a failed action is returned with its failure code', async () => {
    const actions = [{ type: 'click', selector: '#nobody' }]
    const body = { url: `${api.site.url}/play`, actions, timeout: 4_000 }
    const { status, body: told } = await api.service.ask<{ code: string; error: string }>('/v2/scrape', {
      body,
    })
    assert.ok([408, 500].includes(status))
    assert.ok(['SCRAPE_ACTION_ERROR', 'SCRAPE_TIMEOUT'].includes(told.code), told.error)
  })
})
