// Tests properties 2, 12, 15, 16 and 17 in a running service with real browsers: what a site sees, and what /health says about
// the pool.
import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import fc from 'fast-check'
import * as z from 'zod'
import { knownRegions } from '../../src/fetch/browser/identity/identity-regions.ts'
import { defineScraper } from '../../src/scraper/define-scraper.ts'
import { eventually, found } from '../support/eventually.ts'
import { ForwardProxy } from '../support/proxies/forward-proxy.ts'
import { ScrapeApi, type ShownTask } from '../support/scrape-api.ts'
import { type TemporaryFile, temporaryFile } from '../support/temporary-file.ts'
import { zoneName } from './identities.ts'

/** A page that shows what it can find out about its browser, and when it was scrolled. It grows, so that it can be scrolled again. */
const mirror = `<!doctype html><title>Mirror</title><body style="margin:0"><p id="looks"></p><p id="scrolls"></p>
<div id="long" style="height:3000px">Long</div><script>
document.getElementById('looks').textContent = JSON.stringify({
  userAgent: navigator.userAgent, languages: navigator.languages, screen: [screen.width, screen.height],
  inner: [innerWidth, innerHeight], cores: navigator.hardwareConcurrency, scale: devicePixelRatio,
  timeZone: Intl.DateTimeFormat().resolvedOptions().timeZone,
})
const scrolls = []
let last = -1
addEventListener('scroll', () => {
  if (scrollY <= last) return
  last = scrollY
  scrolls.push(performance.now())
  document.getElementById('scrolls').textContent = JSON.stringify(scrolls)
  document.getElementById('long').style.height = (3000 * (scrolls.length + 1)) + 'px'
})
</script></body>`

interface Looks {
  userAgent: string
  languages: string[]
  timeZone: string
}

interface Health {
  browser_pool: { available: number; pages_processed: number; recycled_count: number }
  proxies: { healthy: number; unhealthy: number }
}

const scrollsAtOnce = 2

/** A scraper that scrolls several times, each time as a separate action. */
const visitor = defineScraper({
  id: 'visitor',
  input: z.object({ url: z.string() }),
  output: z.object({ looks: z.string().nullable(), scrolls: z.string().nullable() }),
  policy: { render: 'always' },
  async run({ open, emit }) {
    let page = await open()
    for (let n = 0; n < scrollsAtOnce; n += 1) page = await page.scrollForContent({ times: 1, timeoutMs: 50 })
    emit({ looks: page.text('#looks'), scrolls: page.text('#scrolls') })
  },
})

const pagesPerBrowser = 2
const leastDelayMs = 1_000

describe('browsers of a service', () => {
  // All proxies have the same region, so that the region makes no difference between two renderings.
  const [region] = fc.sample(fc.constantFrom(...knownRegions), 1) as [string]
  let proxies: ForwardProxy[]
  let files: TemporaryFile[]
  let api: ScrapeApi
  let seen: Array<{ url: string; looks: Looks; scrolls: number[] }>

  before(async () => {
    proxies = [await ForwardProxy.start(), await ForwardProxy.start()]
    const listed = proxies.map(({ url }) => `  - { url: "${url}", country: ${region.toLowerCase()} }\n`)
    const delay = `{ min: ${leastDelayMs}ms, max: ${leastDelayMs + 50}ms }`
    files = await Promise.all([
      temporaryFile('proxies.yaml', `proxies:\n${listed.join('')}`),
      temporaryFile(
        'policies.yaml',
        `default: { rate: unlimited, concurrency: 4, proxy: { rest: 0s }, action_delay: ${delay} }\n`,
      ),
    ])
    api = await ScrapeApi.open({
      scrapers: [visitor],
      settings: {
        scrapeIdentity: 'browser',
        proxiesFile: files[0]!.path,
        domainPolicies: files[1]!.path,
        browserPoolSize: 1,
        proxyCheckMs: 100,
        browserMaxPages: pagesPerBrowser,
      },
    })
    api.site.serve('/mirror', mirror)
    seen = await visited(5)
  })
  after(async () => {
    await api?.[Symbol.asyncDispose]()
    for (const proxy of proxies ?? []) await proxy[Symbol.asyncDispose]()
    for (const file of files ?? []) await file[Symbol.asyncDispose]()
  })

  async function visited(count: number): Promise<typeof seen> {
    const targets = Array.from({ length: count }, (_, index) => ({
      url: `${api.site.url}/mirror?n=${index}`,
      target_type: 'visitor',
    }))
    const { job_id, task_ids } = await api.batch(targets)
    await api.service.ended(job_id)
    const tasks = await Promise.all(task_ids.map(id => api.task(id)))
    const order = api.site.requests.map(({ url }) => url)
    return tasks
      .map(({ url, result, error }: ShownTask) => {
        assert.notEqual(result, null, JSON.stringify(error))
        const { looks, scrolls } = result as { looks: string; scrolls: string | null }
        return { url, looks: JSON.parse(looks) as Looks, scrolls: JSON.parse(scrolls ?? '[]') as number[] }
      })
      .sort((a, b) => order.indexOf(pathOf(a.url)) - order.indexOf(pathOf(b.url)))
  }

  const health = async () => (await api.service.ask<Health>('/health')).body

  const pathOf = (url: string) => url.slice(api.site.url.length)

  // Fails if the pool ignores `browserMaxPages`, or counts pages that it did not load.
  test('Property 12: a browser is replaced after it has loaded its maximum number of pages', async () => {
    await eventually('recycled browsers', async () => {
      const { pages_processed, recycled_count } = (await health()).browser_pool
      return pages_processed === seen.length && recycled_count === Math.floor(seen.length / pagesPerBrowser)
    })
  })

  // Fails if `newIdentity` ignores the region of the proxy.
  test('Property 15: time zone, languages and Accept-Language belong to the region of the proxy', () => {
    for (const { url, looks } of seen) {
      assert.ok(
        proxies.some(({ visits }) => visits.some(({ target }) => target === url)),
        `${url} used no proxy`,
      )
      const zones = new Intl.Locale(`und-${region}`).getTimeZones!()!.map(zoneName)
      assert.ok(zones.includes(zoneName(looks.timeZone)), `${looks.timeZone} in ${region}`)
      assert.equal(new Intl.Locale(looks.languages[0]!).region, region)
      const request = api.site.requests.find(one => one.url === pathOf(url))!
      assert.ok(String(request.headers['accept-language']).startsWith(looks.languages[0]!))
    }
  })

  // Fails if all tasks of a job share one identity, or if one identity is chosen per proxy or per browser.
  test('Property 16: two consecutive renderings differ in at least one attribute of the identity', () => {
    seen.slice(1).forEach(({ looks }, index) => {
      assert.notDeepEqual(looks, seen[index]!.looks)
    })
    assert.ok(seen.every(({ looks }) => !looks.userAgent.includes('Headless')))
  })

  // Fails if a delay is computed but the browser does not wait, or if the policy of the domain is not used.
  test('Property 17: before each action the browser pauses at least as long as the domain policy says', () => {
    for (const { scrolls } of seen) {
      assert.equal(scrolls.length, scrollsAtOnce, JSON.stringify(scrolls))
      scrolls.slice(1).forEach((at, index) => {
        assert.ok(at - scrolls[index]! >= leastDelayMs, `${at - scrolls[index]!} ms`)
      })
    }
  })

  /** Stops a proxy and sends a request through it, so that the service marks it as unhealthy. */
  async function noticedDeath(index: number): Promise<void> {
    await proxies[index]!.die()
    const body = {
      url: `${api.site.url}/about`,
      target_type: 'page',
      options: { render: 'never' },
      timeout_s: 5,
    }
    await eventually(
      `${index + 1} unhealthy proxies`,
      async () => {
        await api.ask('/sync', { body })
        return (await health()).proxies.unhealthy === index + 1
      },
      60_000,
    )
  }

  // Fails if readiness does not check the proxies, or treats a busy pool as available.
  test('Property 2: the service is ready exactly while a browser is available and a proxy is healthy', async () => {
    const readyWhen = async (what: string, state: { available: boolean; healthy: boolean }) => {
      const status = await found(
        what,
        async () => {
          const { browser_pool, proxies: counts } = await health()
          const isAsSaid =
            browser_pool.available > 0 === state.available && counts.healthy > 0 === state.healthy
          return isAsSaid ? (await api.service.ask('/readiness')).status : undefined
        },
        60_000,
      )
      assert.equal(status, state.available && state.healthy ? 200 : 503, what)
    }
    await readyWhen('an idle pool and healthy proxies', { available: true, healthy: true })
    using hold = api.site.hold('/held')
    await api.scrape({ url: `${api.site.url}/held`, target_type: 'visitor' })
    await hold.arrived()
    await readyWhen('a busy pool', { available: false, healthy: true })
    hold.release()
    await readyWhen('a pool that is idle again', { available: true, healthy: true })
    await noticedDeath(0)
    await readyWhen('one healthy proxy of two', { available: true, healthy: true })
    await noticedDeath(1)
    await readyWhen('no healthy proxy', { available: true, healthy: false })
    await proxies[0]!.revive()
    await readyWhen('a proxy that is back', { available: true, healthy: true })
  })
})
