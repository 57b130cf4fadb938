// Runs typical examples of Playwright and Puppeteer, with a browser connection instead of a launched browser, and our site
// instead of the web.
import assert from 'node:assert/strict'
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, describe, test } from 'node:test'
import type { Browser } from 'playwright-core'
import { picture } from '../support/archive-site.ts'
import {
  BrowserService,
  ownBrowsers,
  type PuppeteerBrowser,
  playwright,
  playwrightDevices,
  puppeteer,
  steel,
} from '../support/browser-clients.ts'
import { eventually } from '../support/eventually.ts'
import { operatorKey } from '../support/service.ts'

let browsers: BrowserService
let folder: string
before(async () => {
  folder = await mkdtemp(join(tmpdir(), 'kscrape-examples-'))
  browsers = await BrowserService.open({
    '/': '<title>Home</title><h1>Home</h1><img src="/red.png"><form action="/found"><input name="q"></form><div style="height:3000px"></div>',
    '/found?q=oak': '<title>Found</title><ul><li class="hit">One</li><li class="hit">Two</li></ul>',
    '/red.png': response => response.end(picture(50, 50, [200, 30, 30])),
    '/where':
      '<title>Where</title><pre></pre><script>navigator.geolocation.getCurrentPosition(({ coords }) => { document.querySelector("pre").textContent = [coords.latitude, coords.longitude].join() })</script>',
    '/event':
      '<title>Event</title><script>window.dispatchEvent(new CustomEvent("app-ready", { detail: "yes" }))</script>',
  })
})
after(async () => {
  await browsers?.[Symbol.asyncDispose]()
  if (folder) await rm(folder, { recursive: true, force: true })
})
const at = (path: string): string => `${browsers.site.url}${path}`
const allGone = () => eventually('every browser is gone', () => ownBrowsers().length === 0)

const ways: Record<string, () => Promise<Browser>> = {
  'Playwright, connectOverCDP': () => playwright().connectOverCDP(browsers.endpoint()),
  'Playwright, connect': () => playwright().connect(browsers.endpoint('/playwright')),
}

for (const [way, connect] of Object.entries(ways))
  describe(way, () => {
    let browser: Browser
    before(async () => {
      browser = await connect()
    })
    after(async () => {
      await browser?.close()
      await allGone()
    })

    test('a client writes a screenshot to a file', async () => {
      const page = await browser.newPage()
      await page.goto(at('/'))
      const path = join(folder, 'example.png')
      await page.screenshot({ path, fullPage: true })
      const bytes = await readFile(path)
      assert.equal(bytes.subarray(1, 4).toString(), 'PNG')
      assert.ok(bytes.readUInt32BE(20) > 3_000, 'the whole page')
      await page.close()
    })

    test('an emulated phone has its size, user agent and location', async () => {
      const context = await browser.newContext({
        ...playwrightDevices()['Pixel 7'],
        ...{ locale: 'de-DE', permissions: ['geolocation'] },
        geolocation: { latitude: 52.52, longitude: 13.39 },
      })
      const page = await context.newPage()
      await page.goto(at('/where'))
      await page.getByText('52.52,13.39').waitFor()
      assert.match(await page.evaluate<string>('navigator.userAgent'), /Pixel 7/)
      assert.equal(await page.evaluate('navigator.language'), 'de-DE')
      await context.close()
    })

    test('a script of the client runs in the page and returns values', async () => {
      const page = await browser.newPage({ viewport: { width: 800, height: 600 } })
      await page.goto(at('/'))
      assert.deepEqual(
        await page.evaluate('({ width: innerWidth, height: innerHeight, ratio: devicePixelRatio })'),
        { width: 800, height: 600, ratio: 1 },
      )
      await page.close()
    })

    test('a client logs, changes, answers and aborts requests of a page', async () => {
      const page = await browser.newPage()
      const seen: string[] = []
      await page.route('**', route => {
        seen.push(new URL(route.request().url()).pathname)
        return route.continue()
      })
      await page.route('**/*.png', route => route.abort())
      await page.route('**/made-up', route =>
        route.fulfill({ contentType: 'text/html', body: '<h1>Made</h1>' }),
      )
      await page.goto(at('/'))
      assert.deepEqual(seen, ['/'])
      assert.equal(await page.evaluate('document.images[0].naturalWidth'), 0)
      await page.goto(at('/made-up'))
      assert.equal(await page.locator('h1').textContent(), 'Made')
      await page.close()
    })

    test('a client fills in and sends a form, and gets the result page', async () => {
      const page = await browser.newPage()
      await page.goto(at('/'))
      await page.getByRole('textbox').fill('oak')
      await page.getByRole('textbox').press('Enter')
      await page.waitForURL('**/found?q=oak')
      assert.deepEqual(await page.locator('.hit').allTextContents(), ['One', 'Two'])
      await page.close()
    })
  })

describe('Puppeteer', () => {
  let browser: PuppeteerBrowser
  before(async () => {
    browser = await puppeteer().connect({ browserWSEndpoint: browsers.endpoint() })
  })
  after(async () => {
    await browser?.close()
    await allGone()
  })

  test('a client blocks images', async () => {
    const page = await browser.newPage()
    await page.setRequestInterception(true)
    page.on('request', (request: { resourceType(): string; abort(): void; continue(): void }) =>
      request.resourceType() === 'image' ? request.abort() : request.continue(),
    )
    await page.goto(at('/'))
    assert.equal(await page.evaluate('document.images[0].naturalWidth'), 0)
    assert.equal((await page.screenshot({ path: join(folder, 'news.png') })).length > 1_000, true)
    await page.close()
  })

  test('an event in the page calls a function of the client', async () => {
    const page = await browser.newPage()
    const heard: string[] = []
    await page.exposeFunction('onCustomEvent', value => void heard.push(value))
    await page.evaluateOnNewDocument(
      'window.addEventListener("app-ready", ({ type, detail }) => window.onCustomEvent(type + " " + detail))',
    )
    await page.goto(at('/event'))
    await eventually('the event', () => heard.length > 0)
    assert.deepEqual(heard, ['app-ready yes'])
    await page.close()
  })

  test('a client writes a PDF and a picture of the whole page to files', async () => {
    const page = await browser.newPage()
    await page.setViewport({ width: 375, height: 667, isMobile: true, hasTouch: true })
    await page.goto(at('/'))
    await page.pdf({ path: join(folder, 'page.pdf'), format: 'letter' })
    assert.equal((await readFile(join(folder, 'page.pdf'))).subarray(0, 5).toString(), '%PDF-')
    await page.screenshot({ path: join(folder, 'full.png'), fullPage: true })
    assert.ok((await readFile(join(folder, 'full.png'))).readUInt32BE(20) > 3_000)
    await page.close()
  })

  test('a client types into a search field and gets the results', async () => {
    const page = await browser.newPage()
    await page.goto(at('/'))
    await page.locator('input').fill('oak')
    await page.locator('input').click()
    await page.keyboard.press('Enter')
    await page.waitForSelector('.hit')
    assert.equal(await page.evaluate('document.querySelectorAll(".hit").length'), 2)
    await page.close()
  })
})

test("Steel's client creates a session, Playwright connects to it, and the client releases it", async () => {
  const client = steel(browsers.service.url, operatorKey)
  const session = await client.sessions.create({ timeout: 60_000 })
  const browser = await playwright().connectOverCDP(`${session.websocketUrl}&apiKey=${operatorKey}`)
  const page = await browser.contexts()[0]!.newPage()
  await page.goto(at('/'))
  assert.equal(await page.title(), 'Home')
  assert.equal((await client.sessions.retrieve(session.id)).status, 'live')
  const ended = new Promise(resolve => browser.once('disconnected', resolve))
  assert.equal((await client.sessions.release(session.id)).success, true)
  await ended
  assert.equal((await client.sessions.releaseAll()).success, true)
  await allGone()
})
