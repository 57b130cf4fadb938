// Tests Playwright's and Puppeteer's own clients, unmodified, with browsers of our service.
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { BrowserService, ownBrowsers, playwright, puppeteer } from '../support/browser-clients.ts'
import { eventually } from '../support/eventually.ts'

let browsers: BrowserService
before(async () => {
  browsers = await BrowserService.open({
    '/': '<title>Home</title><h1>Home</h1><a id="next" href="/next" target="_blank">next</a><input id="name"><script>document.cookie="seen=1"</script>',
    '/next': '<title>Next</title><h1>Next</h1>',
    '/secret': '<title>Secret</title>',
    '/robots.txt': response => response.end('User-agent: *\nDisallow: /secret'),
  })
})
after(() => browsers?.[Symbol.asyncDispose]())
const at = (path: string): string => `${browsers.site.url}${path}`

const jobs = async () => {
  const { body } = await browsers.service.ask<{ jobs: Array<Record<string, unknown>> }>('/jobs')
  return body.jobs
}

const allGone = () =>
  eventually('every browser and seat is free again', async () => {
    const running = (await jobs()).some(({ status }) =>
      ['pending', 'running', 'finishing'].includes(String(status)),
    )
    return ownBrowsers().length === 0 && !running
  })

test('playwright.chromium.connectOverCDP works unmodified, and the browser ends when its socket closes', async () => {
  const chromium = playwright()
  const browser = await chromium.connectOverCDP(browsers.endpoint())
  const [context] = browser.contexts()
  const page = await context!.newPage()
  const response = await page.goto(at('/'))
  assert.equal(response?.status(), 200)
  assert.equal(await page.title(), 'Home')
  await page.fill('#name', 'Ada')
  assert.equal(await page.inputValue('#name'), 'Ada')
  const [popup] = await Promise.all([page.waitForEvent('popup'), page.click('#next')])
  assert.equal(await popup.title(), 'Next')
  const other = await browser.newContext({ locale: 'de-DE', timezoneId: 'Europe/Berlin' })
  const apart = await other.newPage()
  await apart.goto(at('/next'))
  assert.equal(await apart.evaluate('document.cookie'), '', 'contexts share nothing')
  assert.equal(await apart.evaluate('Intl.DateTimeFormat().resolvedOptions().timeZone'), 'Europe/Berlin')
  assert.ok((await apart.screenshot()).length > 1_000)
  assert.ok((await page.pdf()).length > 1_000)
  await browser.close()
  await allGone()
})

test('puppeteer.connect works unmodified, including an intercepted request', async () => {
  const browser = await puppeteer().connect({
    browserWSEndpoint: browsers.endpoint(),
    protocolTimeout: 20_000,
  })
  const page = await browser.newPage()
  await page.goto(at('/'))
  assert.equal(await page.title(), 'Home')
  await page.type('#name', 'Grace')
  assert.equal(await page.evaluate('document.querySelector("#name").value'), 'Grace')
  assert.ok((await page.screenshot()).length > 1_000)
  const context = await browser.createBrowserContext()
  const apart = await context.newPage()
  await apart.setRequestInterception(true)
  apart.on('request', (request: { continue(): void }) => request.continue())
  const answer = await apart.goto(at('/next'))
  assert.equal(answer?.status(), 200)
  await context.close()
  await browser.disconnect()
  await allGone()
})

test('clients that take an http: URL find the WebSocket by themselves', async () => {
  const url = browsers.endpoint('/').replace('ws:', 'http:')
  const first = await playwright().connectOverCDP(url)
  await first.close()
  const second = await puppeteer().connect({ browserURL: url, protocolTimeout: 20_000 })
  assert.match(await second.version(), /Chrome/)
  await second.disconnect()
  await allGone()
})

test('robots.txt applies to clients, and only a key with the scope for it can disable that', async () => {
  const chromium = playwright()
  const read = async (query: Record<string, string>) => {
    const browser = await chromium.connectOverCDP(browsers.endpoint('/cdp', query))
    const page = await browser.contexts()[0]!.newPage()
    const response = await page.goto(at('/secret'))
    const text = await response!.text()
    await browser.close()
    return { status: response!.status(), text }
  }
  const refused = await read({})
  assert.equal(refused.status, 403)
  assert.match(refused.text, /robots\.disallowed/)
  assert.ok(!browsers.site.paths.includes('/secret'))
  const token = await browsers.service.key({ scopes: ['submit'] })
  await assert.rejects(read({ token, ignore_robots: 'true' }), /ignore_robots|403/)
  const allowed = await read({ ignore_robots: 'true' })
  assert.deepEqual([allowed.status, allowed.text], [200, '<title>Secret</title>'])
  await allGone()
})

test('an unknown key, an unknown parameter and a timeout above the limit are refused with the reason', async () => {
  const chromium = playwright()
  const connect = (query: Record<string, string>) => chromium.connectOverCDP(browsers.endpoint('/cdp', query))
  await assert.rejects(connect({ token: 'wrong' }), /401/)
  await assert.rejects(connect({ stealth: 'true' }), /422[\s\S]*unknown parameter \\"stealth/)
  await assert.rejects(connect({ timeout: '99999999' }), /422[\s\S]*timeout: 99999999 is above the limit/)
})

test('playwright.chromium.connect works with a client of the same minor version as ours, and the same limits apply', async () => {
  const browser = await playwright().connect(browsers.endpoint('/playwright'))
  const context = await browser.newContext({ viewport: { width: 640, height: 480 } })
  const page = await context.newPage()
  await page.goto(at('/'))
  assert.equal(await page.title(), 'Home')
  await page.getByRole('textbox').fill('Ada')
  assert.equal(await page.locator('#name').inputValue(), 'Ada')
  const [popup] = await Promise.all([page.waitForEvent('popup'), page.click('#next')])
  await popup.waitForURL('**/next')
  assert.ok((await page.screenshot()).length > 1_000)
  assert.equal((await page.goto(at('/secret')))?.status(), 403, 'robots.txt applies to clients too')
  // Each of these calls would run in our process and bypass the egress gate.
  await assert.rejects(context.request.get(at('/next')), /not available/)
  await assert.rejects(
    browser.newContext({ proxy: { server: 'http://127.0.0.1:9' } }),
    /"proxy" is not available/,
  )
  await assert.rejects(browser.newContext({ recordVideo: { dir: '/tmp' } }), /"recordVideo" is not available/)
  await assert.rejects(context.tracing.start(), /not available/)
  await assert.rejects(page.goto('file:///etc/passwd'), /file: URLs cannot be loaded/)
  const session = await context.newCDPSession(page)
  await assert.rejects(session.send('SystemInfo.getInfo' as never), /not available/)
  await context.close()
  await browser.close()
  await allGone()
})

test('a client of another Playwright version gets an error that names the accepted version and suggests connectOverCDP', async () => {
  const headers = { 'User-Agent': 'Playwright/1.40.0 (x64; ubuntu 24.04) node/24.1' }
  const connecting = playwright().connect(browsers.endpoint('/playwright'), { headers })
  await assert.rejects(connecting, /428[\s\S]*Playwright 1\.65[\s\S]*connectOverCDP/)
})
