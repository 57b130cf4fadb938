// Tests pages that crash or block browsers. Each load ends in time, frees its seat, and leaves other pages unaffected.
import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { type BrowserWithSite, browserWithSite } from '../../../test/support/browser.ts'
import { eventually } from '../../../test/support/eventually.ts'
import { asFailure, type FailureCode } from '../../model/failures.ts'

const policy = { navigationMs: 1_500, taskMs: 3_000 }
/** Timeouts for pages that end by themselves, which may take a while on a busy machine. */
const patient = { navigationMs: 30_000, taskMs: 30_000 }

describe('hostile pages', () => {
  let browser: BrowserWithSite
  before(async () => {
    // The heap bomb needs more memory than a page may use. Because the pool checks memory rarely here, the page fails before the
    // pool kills the browser.
    browser = await browserWithSite({ watchMs: 60_000 })
  })
  after(() => browser[Symbol.asyncDispose]())

  type Code = FailureCode | FailureCode[] | null
  const pages: Array<[path: string, code: Code, what: string, given?: typeof policy]> = [
    ['/hostile/busy-at-once', 'fetch.timeout', 'a page with an endless loop in its first script'],
    [
      '/hostile/busy-after-load',
      'task.deadline',
      'a page with an endless loop after it has loaded',
      { ...patient, taskMs: 3_000 },
    ],
    ['/hostile/alerts', 'fetch.timeout', 'a page with endless alerts'],
    ['/hostile/stay', null, 'a page that asks the user to stay', patient],
    ['/hostile/reload', ['navigation.failed', 'fetch.timeout'], 'a page that reloads itself endlessly'],
    [
      '/hostile/go-on',
      ['navigation.failed', 'fetch.timeout'],
      'a page that always navigates to the next page',
    ],
    ['/redirect/loop', 'redirect.too-many', 'a redirect loop', patient],
    ['/hostile/attachment', null, 'a file instead of a page', patient],
    ['/slow/never-ends', 'fetch.timeout', 'a page whose body stops half-way'],
    ['/endless', ['body.too-large', 'fetch.timeout'], 'a page with an endless body'],
    [
      '/hostile/heap',
      ['fetch.timeout', 'browser.crashed', 'task.deadline'],
      'a page whose script fills the memory',
    ],
    ['/hostile/popups', null, 'a page that opens thirty pop-ups', patient],
    ['/huge?mb=8', ['body.too-large', 'fetch.timeout'], 'a page with more markup than allowed'],
  ]

  for (const [path, code, what, given = policy] of pages) {
    test(`loading ${what} ends in time, and another page loads meanwhile`, async () => {
      // Another page in the same browser, which stays open during the test.
      const neighbour = await browser.open('/spa/item/3', { session: 'neighbour' })
      const outcome = await codeOf(browser.open(path, { policy: given }))

      assert.ok([code].flat().includes(outcome), `ended with ${outcome}`)
      assert.equal(browser.browsers.stats().in_use, 1)
      assert.match(await neighbour.live.html(), /class="price"/)
      await neighbour.release()
    })
  }

  test('after all hostile pages, a page of the same job and session still loads', async () => {
    const visit = await browser.open('/spa/item/3')
    assert.match(visit.page.body.toString(), /class="price"/)
    await visit.release()
  })
})

async function codeOf(opening: ReturnType<BrowserWithSite['open']>): Promise<FailureCode | null> {
  try {
    const visit = await opening
    await visit.release()
    return null
  } catch (error) {
    return asFailure(error).code
  }
}

describe('browsers that crash', () => {
  test('if a browser is killed, another browser loads the page of the interrupted task', async () => {
    await using browser = await browserWithSite()
    await (await browser.open('/')).release()
    const opening = browser.open('/slow/headers?ms=800')
    process.kill(-browser.browsers.pool.pids()[0]!, 'SIGKILL')

    const visit = await opening
    assert.match(visit.page.body.toString(), /Hello/)
    await visit.release()
    assert.equal(browser.browsers.stats().recycled_count, 1)
    assert.equal(browser.browsers.stats().in_use, 0)
  })

  test('a hanging browser is ended, its folder removed, and the next page loads', async () => {
    await using browser = await browserWithSite()
    await (await browser.open('/')).release()
    const [pid] = browser.browsers.pool.pids()
    process.kill(-pid!, 'SIGSTOP')

    assert.equal(await codeOf(browser.open('/', { policy })), 'browser.crashed')

    await (await browser.open('/')).release()
    assert.ok(!browser.browsers.pool.pids().includes(pid!))
    const isAlone = async () => (await browser.leftBehind()).folders.length === 1
    await eventually('the folder of the ended one to be removed', isAlone)
  })

  test('a closed pool leaves no process and no folder', async () => {
    await using browser = await browserWithSite()
    await (await browser.open('/')).release()
    await browser.browsers[Symbol.asyncDispose]()
    assert.deepEqual(await browser.leftBehind(), { folders: [], processes: [] })
  })
})
