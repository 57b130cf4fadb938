// Tests in a real browser that a page is parsed only after its scripts have loaded the content.
import assert from 'node:assert/strict'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { after, before, test } from 'node:test'
import { type GuardedBrowser, openGuardedBrowser } from '../../../test/support/guarded-browser.ts'
import { EgressGate } from '../http/gate.ts'

/** The text is split into two strings, so that the source of the script does not count as the content. */
const content = `'<h1>Lamps</h1><p>All the content is ' + 'here now.</p>'`
const fill = `document.getElementById('root').innerHTML = ${content}`
const root = '<div id="root"></div>'
const menu = '<header>Shop, about us, contact, and a long line of text that is there from the start</header>'
const script = (code: string) => `<script>${code}</script>`

/** Pages that show `content` in the end, keyed by what happens before that. */
const pages: Record<string, string> = {
  'two chained requests':
    root +
    script(
      `fetch('/slow?1').then(r => r.text()).then(() => fetch('/slow?2')).then(r => r.json()).then(() => { ${fill} })`,
    ),
  'a timer before the request':
    root + script(`setTimeout(() => fetch('/slow').then(() => { ${fill} }), 400)`),
  'an XMLHttpRequest after load':
    menu +
    root +
    script(
      `addEventListener('load', () => { const x = new XMLHttpRequest(); x.open('GET', '/slow'); x.onload = () => { ${fill} }; x.send() })`,
    ),
  'a timer of two seconds and an empty root': root + script(`setTimeout(() => { ${fill} }, 2000)`),
  'a skeleton':
    menu +
    '<div id="root"><div class="skeleton" style="height:40px"></div></div>' +
    script(`setInterval(() => {}, 50); setTimeout(() => { ${fill} }, 3500)`),
  'a late script':
    root + script(`const s = document.createElement('script'); s.src = '/late.js'; document.head.append(s)`),
  'hydration that replaces the page':
    '<div id="root"><p>Server text that is there from the beginning.</p></div>' +
    script(
      `setTimeout(() => { document.getElementById('root').innerHTML = ''; fetch('/slow').then(() => { ${fill} }) }, 150)`,
    ),
  'polling that never ends':
    root +
    script(
      `const poll = () => fetch('/slow').then(() => setTimeout(poll, 100)); poll(); setTimeout(() => { ${fill} }, 300)`,
    ),
  'a clock that never stops':
    `<p id="clock">0</p>` +
    root +
    script(
      `setInterval(() => { clock.textContent = performance.now().toFixed(3).padStart(12, '0') }, 10); fetch('/slow').then(() => { ${fill} })`,
    ),
  'an interval that adds rows':
    menu +
    script(
      `let n = 0; const timer = setInterval(() => { document.body.append(document.createElement('p')); if (++n === 4) { clearInterval(timer); document.body.innerHTML += ${content} } }, 280)`,
    ),
  'an event stream': root + script(`new EventSource('/stream'); fetch('/slow').then(() => { ${fill} })`),
  'a request that hangs': menu + root + script(`fetch('/hangs'); fetch('/slow').then(() => { ${fill} })`),
  'an ad that never arrives':
    `${menu}<iframe src="/hangs"></iframe><script async src="/hangs?ad"></script>${root}` +
    script(`fetch('/slow').then(() => { ${fill} })`),
  'beacons without end':
    menu +
    root +
    script(
      `setInterval(() => { new Image().src = '/pixel?' + Math.random(); navigator.sendBeacon('/collect') }, 30); fetch('/slow').then(() => { ${fill} })`,
    ),
  'several POSTs to one address':
    `${menu}<div id="box"></div>` +
    script(
      `(async () => { for (const body of ['a', 'b', 'c', 'd']) await (await fetch('/slow', { method: 'POST', body })).json(); box.textContent = 'All the content is ' + 'here now' })()`,
    ),
  'an empty main element behind a long chain of timers':
    `${menu}<main id="root"></main>` +
    script(`let n = 0; const step = () => { if (++n < 8) setTimeout(step, 120); else { ${fill} } }; step()`),
  'promises that wait for each other':
    root +
    script(
      `(async () => { for (const n of [1, 2, 3]) { await (await fetch('/slow?' + n)).json(); await new Promise(r => setTimeout(r, 120)) } ${fill} })()`,
    ),
}

const server = createServer((request, response) => {
  const { pathname, searchParams } = new URL(request.url!, 'http://here')
  if (pathname === '/slow') setTimeout(() => response.end('{}'), 300)
  else if (pathname === '/late.js')
    setTimeout(() => response.setHeader('content-type', 'text/javascript').end(fill), 600)
  else if (pathname === '/stream')
    response.setHeader('content-type', 'text/event-stream').write('data: 1\n\n')
  else if (pathname !== '/hangs')
    response
      .setHeader('content-type', 'text/html')
      .end(`<!DOCTYPE html><title>Lamps</title><body>${pages[searchParams.get('kind')!]}`)
})

let browser: GuardedBrowser
let origin = ''

before(async () => {
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  origin = `http://127.0.0.1:${port}`
  const gate = new EgressGate({ allowPrivate: [`127.0.0.1:${port}`] })
  browser = await openGuardedBrowser({ gate, driver: 'cdp' })
})
after(async () => {
  await browser?.[Symbol.asyncDispose]()
  server.closeAllConnections()
  server.close()
})

for (const kind of Object.keys(pages))
  test(`a page with ${kind} is parsed with its content`, async () => {
    const page = await browser.load(`${origin}/?kind=${encodeURIComponent(kind)}`)
    assert.match(page.html, /All the content is here now/)
    assert.notEqual(page.settled, 'deadline')
  })
