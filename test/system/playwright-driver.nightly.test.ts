// Tests Playwright's driver with pages that misbehave.
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { after, before, test } from 'node:test'
import type { Page } from 'playwright-core'
import type { BrowserDriver, DrivenContext } from '../../src/fetch/browser/driver.ts'
import { openPatchrightDriver, openPlaywrightDriver } from '../../src/fetch/browser/playwright/driver.ts'
import { groupMembers } from '../../src/fetch/browser/pool/processes.ts'
import { Failure } from '../../src/model/failures.ts'
import { rendering } from '../../src/model/policy/rendering.ts'
import { startTestSite, type TestSite } from '../site/index.ts'
import { act, loadRequest, openDrivenBrowser } from '../support/driven-context.ts'
import { eventually } from '../support/eventually.ts'

let site: TestSite
before(async () => {
  site = await startTestSite()
})
after(() => site.close())

const at = (path: string): string => `${site.url}${path}`
const soon = () => AbortSignal.timeout(120_000)
const drivers: Record<string, () => Promise<BrowserDriver>> = {
  playwright: openPlaywrightDriver,
  patchright: openPatchrightDriver,
}

/** A signal that aborts as the pool's does at the timeout of a task. */
function deadline(ms: number): AbortSignal {
  const controller = new AbortController()
  setTimeout(() => controller.abort(new Failure('task.deadline', 'the time is over')), ms).unref()
  return controller.signal
}

for (const [name, open] of Object.entries(drivers))
  test(`a browser driven by ${name}`, async t => {
    const browser = await openDrivenBrowser([`${site.host}:${site.port}`], open)
    let context: DrivenContext = await browser.openContext()
    const load = (path: string, more: object = {}) =>
      context.load(loadRequest(at(path), { rendering: rendering.parse(more) }), soon())

    await t.test('the driver starts the browser in its own process group', () => {
      const group = Number(readFileSync(`/proc/${browser.pid}/stat`, 'utf8').split(') ')[1]!.split(' ')[2])
      assert.equal(group, browser.pid)
    })

    await t.test(
      'the driver renders, waits, evaluates and takes screenshots as our own driver does',
      async () => {
        const page = await load('/spa/', {
          waitFor: '.product',
          js: 'document.title',
          screenshot: true,
          pdf: true,
        })
        assert.match(page.html, /class="product"/)
        assert.equal(page.value, '"The shop, by script"')
        assert.equal(page.screenshot?.subarray(1, 4).toString(), 'PNG')
        assert.equal(page.pdf?.subarray(0, 4).toString(), '%PDF')
        assert.equal(page.status, 200)
      },
    )

    await t.test('the driver reports redirects, and resources that a page could not load', async () => {
      site.serve('/moved', { status: 302, headers: { location: '/play/form' } })
      const page = await load('/moved')
      assert.deepEqual(page.hops, [{ from: at('/moved'), to: at('/play/form'), status: 302 }])
      assert.equal(page.finalUrl, at('/play/form'))
    })

    await t.test('the driver keeps cookies until they are cleared', async () => {
      site.serve('/cookie', {
        headers: { 'set-cookie': 'a=1; Path=/', 'content-type': 'text/html' },
        body: 'x',
      })
      await load('/cookie')
      await context.clear({ storage: false })
      assert.equal((await context.state()).cookies.length, 1)
      await context.clear({ storage: true })
      assert.equal((await context.state()).cookies.length, 0)
    })

    await t.test('the driver sends the job’s own headers only to the origin of the page', async () => {
      const secret = { 'X-Key': 'sesame' }
      const { html } = await context.load(loadRequest(at('/echo'), { headers: secret }), soon())
      assert.match(html, /"x-key": "sesame"/)
      const { html: without } = await load('/echo')
      assert.doesNotMatch(without, /x-key/)
    })

    await t.test(
      'the driver holds navigations until they have a permit, while requests are paused for their headers',
      async () => {
        const asked: string[] = []
        const { page } = await act(context, at('/play/list'), [{ type: 'goto', url: '/echo' }], {
          load: { headers: { 'X-Key': 'sesame' } },
          parts: { beforeNavigation: async url => void asked.push(url) },
        })
        assert.deepEqual(asked, [at('/echo')])
        assert.match(page.html, /"x-key": "sesame"/)
      },
    )

    await t.test(
      'the driver answers dialogs, and leaves a page even if the page asks the user to stay',
      async () => {
        site.serve('/asks', '<title>Asks</title><button onclick="document.title = confirm(1)">ask</button>')
        const { page } = await act(context, at('/asks'), [
          { type: 'click', selector: 'button' },
          { type: 'evaluate', script: 'document.title', as: 'said' },
          { type: 'goto', url: '/hostile/stay' },
          { type: 'click', selector: 'body' },
          { type: 'goto', url: '/play/form' },
        ])
        assert.equal(page.finalUrl, at('/play/form'))
      },
    )

    await t.test('the driver allows each page two pop-ups and no more', async () => {
      const closed = async (page: Page) => {
        await page.waitForTimeout(500)
        // Windows above the limit are closed after they open, which takes a while on a busy machine.
        await eventually('all pop-ups but two to be closed', () => page.context().pages().length <= 3)
      }
      const patient = { navigationMs: 60_000, act: closed }
      await context.load(loadRequest(at('/hostile/popups'), patient), AbortSignal.timeout(60_000))
    })

    await t.test('the driver blocks service workers', async () => {
      await load('/hostile/service-worker', { waitFor: 500 })
      assert.deepEqual(site.requestsTo('/hostile/worker.js'), [])
    })

    await t.test('if a navigation becomes a download, the driver stores the file', async () => {
      const { downloads, html } = await load('/hostile/attachment')
      assert.equal(downloads.length, 1)
      assert.equal(html, '')
    })

    for (const path of ['/hostile/busy-at-once', '/hostile/alerts'])
      await t.test(`the driver returns from ${path} at the timeout`, async () => {
        const loading = context.load(
          loadRequest(at(path), { rendering: rendering.parse({ js: '1' }) }),
          deadline(1_500),
        )
        await loading.then(
          page => assert.equal(page.status, 200),
          (failure: Failure) =>
            assert.ok(['task.deadline', 'fetch.timeout'].includes(failure.code), failure.message),
        )
        await context.evidence(['screenshot', 'html', 'console', 'network'], 500)
        await context.closePage()
        assert.equal((await load('/play/form')).status, 200)
      })

    await t.test('the driver leaves no state of a closed context for the next context', async () => {
      await context.close()
      context = await browser.openContext()
      assert.equal((await load('/play/form')).status, 200)
    })

    await t.test('if the browser is killed, the driver reports this at once', async () => {
      const loading = act(context, at('/play/form'), [{ type: 'wait', ms: 60_000 }])
      const failed = assert.rejects(loading, { code: 'browser.crashed' })
      await new Promise(resolve => setTimeout(resolve, 800))
      process.kill(-browser.pid, 'SIGKILL')
      await failed
    })

    await t.test('the driver leaves no process behind when it is closed', async () => {
      await browser[Symbol.asyncDispose]()
      // After it is killed, a process group takes a while to end.
      await eventually('the browser’s processes to end', () => groupMembers(browser.pid).length === 0)
    })
  })
