// Promise: if a session or credentials are in use, a frame of another site has its own process. Everything else works as without
// this isolation.
import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { commandLineOf, groupMembers } from '../../src/fetch/browser/pool/processes.ts'
import { EgressGate } from '../../src/fetch/http/index.ts'
import { type GuardedBrowser, openGuardedBrowser } from '../support/guarded-browser.ts'
import { html, ListeningSite } from '../support/listening-site.ts'

const secret = 'key-4713'
const headers = { 'x-api-key': secret, 'accept-language': 'fr' }
/** The address of a cloud metadata service. No server listens there, and no request may be sent there. */
const inside = 'http://169.254.169.254/latest/meta-data'

const framed = (home: string) =>
  html(
    `<img src="/picture.png"><img src="${inside}"><iframe src="${home}/inner"></iframe>
     <script>
       Promise.allSettled([
         fetch('${home}/from-frame', { mode: 'no-cors' }),
         fetch('/own').then(() => fetch('/language?' + navigator.language + Intl.DateTimeFormat().resolvedOptions().timeZone)),
         new Promise(done => addEventListener('load', done)),
       ]).then(() => parent.postMessage('all', '*'))
     </script>`,
  )

/** Shows when the frame has received its last response, so that no request is counted for the next load. */
const whole = `<script>onmessage = () => document.body.insertAdjacentHTML('beforeend', '<p id="all">all</p>')</script>`

const renderers = ({ pid }: GuardedBrowser): number =>
  groupMembers(pid).filter(member => commandLineOf(member).includes('--type=renderer')).length

for (const driver of ['cdp', 'playwright', 'patchright'] as const)
  describe(driver, () => {
    const stack = new AsyncDisposableStack()
    let home: ListeningSite
    let other: ListeningSite
    let together: GuardedBrowser
    let apart: GuardedBrowser

    before(async () => {
      home = stack.use(await ListeningSite.open())
      other = stack.use(await ListeningSite.open({}, '127.0.0.2'))
      home.pages['/'] = html(`${whole}<iframe src="${other.url}/frame"></iframe>`)
      home.pages['/inner'] = html('<img src="/inner-picture">')
      other.pages['/frame'] = framed(home.url)
      home.pages['/gone'] = html(
        `<iframe src="${other.url}/waits"></iframe>
         <script>onmessage = () => { document.querySelector('iframe').remove(); document.body.append('removed') }</script>`,
      )
      // The frame sends a request that never gets a response, and is removed while it waits.
      other.pages['/waits'] = html(
        `<script>fetch('/never'); setTimeout(() => parent.postMessage('now', '*'), 100)</script>`,
      )
      other.pages['/never'] = () => {}
      const gate = new EgressGate({ allowPrivate: [home.place, other.place] })
      together = stack.use(await openGuardedBrowser({ gate, driver }))
      apart = stack.use(await openGuardedBrowser({ gate, driver, keepsSitesApart: true }))
    })
    after(() => stack.disposeAsync())

    /** The requests that both sites get for one page load, without values that differ from load to load. */
    async function heardOf(
      browser: GuardedBrowser,
      more = {},
      sentHeaders: Record<string, string> = headers,
    ) {
      for (const site of [home, other]) site.heard.length = 0
      const page = await browser.load(`${home.url}/`, { waitFor: '#all', ...more }, sentHeaders)
      const shown = (site: ListeningSite) =>
        site.heard
          .filter(({ path }) => path !== '/favicon.ico')
          .map(({ path, headers: sent }) => [
            ...[path, sent['user-agent'], sent['accept-language'], sent['x-api-key'] ?? null],
          ])
          .sort()
      return { html: page.html, home: shown(home), other: shown(other) }
    }

    test('if credentials are in use, a frame of another site has its own process', async () => {
      await heardOf(together)
      const before = renderers(together)
      await heardOf(apart)
      assert.ok(renderers(apart) > before, `${renderers(apart)} renderers, ${before} without`)
    })

    test('with and without site isolation, both sites get the same requests and headers', async () => {
      const heard = await heardOf(apart)
      for (const path of ['/frame', '/picture.png', '/own'])
        assert.ok(
          heard.other.some(([asked]) => asked === path),
          `${path} was not requested`,
        )
      assert.deepEqual(heard, await heardOf(together))
    })

    test('every request has the languages of the identity, even from nested frames', async () => {
      for (const browser of [together, apart]) {
        const heard = await heardOf(browser, {}, {})
        const languages = [...heard.home, ...heard.other].map(([path, , language]) => [path, language])
        const [, own] = languages.find(([path]) => path === '/')!
        assert.deepEqual(
          languages.filter(([, language]) => language !== own),
          [],
          `the page has ${own}`,
        )
      }
    })

    test('the secret header is sent to the site of the page, even from a frame, and to no other site', async () => {
      await heardOf(apart)
      assert.deepEqual(other.holding([secret]), [])
      const sent = (path: string) => home.heard.find(heard => heard.path === path)?.headers['x-api-key']
      assert.equal(sent('/'), secret)
      for (const path of ['/from-frame', '/inner', '/inner-picture']) assert.equal(sent(path), secret, path)
    })

    test('the egress gate refuses forbidden requests of a frame', async () => {
      await heardOf(apart)
      assert.ok(apart.proxy.failures.some(({ failure }) => failure.code === 'address.refused'))
    })

    test('resource types that a job blocks are blocked in a frame too', async () => {
      const { other: asked } = await heardOf(apart, { block: ['images'] })
      assert.deepEqual(
        asked.filter(([path]) => path === '/picture.png'),
        [],
      )
    })

    test('the browser does not wait for a frame that is removed while it loads', async () => {
      const page = await apart.load(`${home.url}/gone`)
      assert.match(page.html, /removed/)
      assert.notEqual(page.settled, 'deadline')
    })
  })
