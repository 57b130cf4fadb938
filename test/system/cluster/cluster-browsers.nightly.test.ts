// Tests browser connections over several processes: the socket of an API process reaches a browser worker, and a killed worker
// leaves nothing behind.
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { allPids, commandLineOf } from '../../../src/fetch/browser/pool/processes.ts'
import { startTestSite, type TestSite } from '../../site/index.ts'
import { playwright } from '../../support/browser-clients.ts'
import { type RoleProcess, TestCluster, until } from '../../support/cluster.ts'

let cluster: TestCluster
let site: TestSite
let endpoint: string
let url: string
let worker: RoleProcess
before(async () => {
  site = await startTestSite()
  site.serve('/', '<title>Home</title>')
  cluster = await TestCluster.open({
    SCRAPER_ALLOW_PRIVATE: `${site.host}:${site.port}`,
    SCRAPER_BROWSER_POOL_SIZE: '2',
    SCRAPER_RATE: 'unlimited',
    SCRAPER_LEASE: '5s',
  })
  const [api, , started] = await Promise.all([
    cluster.start(['api'], {}, ['--port', '0']),
    cluster.start(['coordinator', 'ingest', 'http-worker', 'processor']),
    cluster.start(['browser-worker']),
  ])
  worker = started
  url = /"url":"([^"]+)"/.exec(api.output())![1]!
  endpoint = `${url.replace('http', 'ws')}/cdp?token=${cluster.env.SCRAPER_API_KEY}`
})
after(async () => {
  await cluster?.[Symbol.asyncDispose]()
  await site?.[Symbol.asyncDispose]()
})

/** The browsers of a process: the names of their folders contain its pid. */
const browsersOf = (pid: number): number[] =>
  allPids().filter(one => commandLineOf(one).includes(`kscrape-browser-${pid}-`))

const visit = async () => {
  const browser = await playwright().connectOverCDP(endpoint)
  const page = await browser.contexts()[0]!.newPage()
  await page.goto(site.url)
  assert.equal(await page.title(), 'Home')
  return { browser, page }
}

test('a client of the API process can control a browser of a worker, and sees it in the list of browsers', async () => {
  const { browser, page } = await visit()
  assert.ok(browsersOf(worker.child.pid!).length > 0, 'the browser runs in the worker')
  assert.ok((await page.screenshot()).length > 1_000)
  const headers = { authorization: `Bearer ${cluster.env.SCRAPER_API_KEY}` }
  const list = async () =>
    (
      (await (await fetch(`${url}/browsers`, { headers })).json()) as {
        browsers: Array<{ browser_id: string; url: string }>
      }
    ).browsers
  await until('the worker reports its seat', async () =>
    (await list()).some(one => one.url.startsWith(site.url)),
  )
  const [seat] = await list()
  const view = await fetch(`${url}/browsers/${seat!.browser_id}/view?scale=0.2`, { headers })
  assert.equal(((await view.json()) as { title: string }).title, 'Home')
  await browser.close()
  await until('the browser has ended', async () => browsersOf(worker.child.pid!).length === 0)
})

test('if a worker is killed, its connections and browsers end, and the next worker serves clients', async () => {
  const { browser } = await visit()
  const { pid } = worker.child
  const disconnected = new Promise(resolve => browser.once('disconnected', resolve))
  void worker.kill('SIGKILL')
  await disconnected
  await until('the browsers of the worker have ended', async () => browsersOf(pid!).length === 0)
  worker = await cluster.start(['browser-worker'])
  const again = await visit()
  await again.browser.close()
})
