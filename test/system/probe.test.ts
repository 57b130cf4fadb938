// Tests what a website can see of our browsers: a plain browser names kscrape, and a stealth browser raises no suspicion.
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { type DemoSite, startDemoSite } from '../../src/demo-site/index.ts'
import { EgressGate } from '../../src/fetch/http/gate.ts'
import type { Identity } from '../../src/model/policy/rendering.ts'
import { type GuardedBrowserOptions, openGuardedBrowser, ourUserAgent } from '../support/guarded-browser.ts'

/** The values that `/probe` records; see src/demo-site/pages/probe-script.ts. */
interface Seen {
  headers: Record<'document' | 'part', Record<string, string>>
  navigator: { userAgent: string; platform: string; webdriver: boolean; languages: string[]; plugins: number }
  userAgentData: {
    brands: Array<{ brand: string; version: string }>
    platform: string
    model: string
    mobile: boolean
  }
  timeZone: string
  locale: string
  screen: { width: number; height: number }
  window: { innerWidth: number; innerHeight: number; outerHeight: number; devicePixelRatio: number }
  isConsoleRead: boolean
  globals: string[]
  forgeries: string[]
  doubts: string[]
}

let site: DemoSite
before(async () => {
  site = await startDemoSite()
})
after(() => site.close())

async function probe(
  options: Omit<GuardedBrowserOptions, 'gate'>,
): Promise<{ seen: Seen; identity: Identity }> {
  const gate = new EgressGate({ allowPrivate: [new URL(site.url).host] })
  await using browser = await openGuardedBrowser({ gate, ...options })
  const read = `JSON.parse(document.querySelector('#probe').textContent)`
  const { value } = await browser.load(`${site.url}/probe`, { waitFor: '#probe', js: read })
  return { seen: JSON.parse(value!) as Seen, identity: browser.identity }
}

/** Asserts that scripts and servers see the values of the identity in every place. */
function assertSame(seen: Seen, identity: Identity): void {
  const { document, part } = seen.headers
  for (const said of [document['user-agent'], part['user-agent'], seen.navigator.userAgent]) {
    assert.equal(said, identity.userAgent)
  }
  for (const name of ['sec-ch-ua', 'sec-ch-ua-platform', 'sec-ch-ua-mobile']) {
    assert.equal(document[name], identity.headers[name], name)
  }
  assert.equal(part['sec-ch-ua-full-version-list'], identity.headers['sec-ch-ua-full-version-list'])
  assert.equal(seen.navigator.platform, identity.platform)
  assert.deepEqual(seen.navigator.languages, identity.languages)
  assert.equal(document['accept-language']!.split(',')[0], identity.locale)
  assert.equal(seen.timeZone, identity.timeZone)
  assert.equal(seen.window.innerWidth, identity.viewport.width)
  assert.equal(seen.window.innerHeight, identity.viewport.height)
  assert.deepEqual({ width: seen.screen.width, height: seen.screen.height }, identity.screen)
}

for (const driver of ['cdp', 'playwright'] as const) {
  test(`without stealth, all properties that a page can read show the same identity (${driver})`, async () => {
    const { seen, identity } = await probe({ driver })
    assertSame(seen, identity)
    assert.ok(seen.navigator.userAgent.endsWith(` ${ourUserAgent}`))
    assert.ok(seen.userAgentData.brands.some(({ brand }) => brand === 'kscrape'))
    assert.equal(seen.navigator.webdriver, true)
    assert.equal(seen.isConsoleRead, true)
  })
}

test('stealth passes every check of a suspicious website, and all its properties agree', async () => {
  const { seen, identity } = await probe({ driver: 'patchright', region: 'DE' })
  assert.deepEqual(seen.doubts, [])
  assertSame(seen, identity)
  assert.deepEqual([seen.isConsoleRead, seen.globals, seen.forgeries], [false, [], []])
  assert.equal(seen.timeZone, 'Europe/Berlin')
  assert.equal(seen.locale, 'de-DE')
  assert.doesNotMatch(JSON.stringify(seen), /kscrape|Headless/i)
})

test('a stealth browser imitates a phone, except the platform in its web workers, which cannot be set', async () => {
  const { seen, identity } = await probe({ driver: 'patchright', mobile: 'Pixel 7' })
  assert.deepEqual(seen.doubts, ['a worker has another user agent or platform'])
  assertSame(seen, identity)
  assert.equal(seen.userAgentData.model, 'Pixel 7')
  assert.equal(seen.window.devicePixelRatio, identity.viewport.deviceScaleFactor)
})
