// robots.txt in a cluster: whoever was to ask for it may be gone, and its host must not stand still for that.
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { startTestSite, type TestSite } from '../site/index.ts'
import { TestCluster } from '../support/cluster.ts'

let cluster: TestCluster
let site: TestSite
before(async () => {
  site = await startTestSite()
  site.serve('/page/1', '<h1>Page 1</h1>')
  cluster = await TestCluster.open({ SCRAPER_ALLOW_PRIVATE: `${site.host}:${site.port}` })
})
after(async () => {
  await cluster?.[Symbol.asyncDispose]()
  await site?.[Symbol.asyncDispose]()
})

test('a worker that dies while it asks for robots.txt is replaced by another one within seconds', async () => {
  using hold = site.hold('/robots.txt')
  const [worker] = await Promise.all([
    cluster.start(['http-worker']),
    cluster.start(['coordinator', 'processor']),
  ])
  const job = await cluster.submit({ urls: [`${site.url}/page/1`] }, site)
  await hold.arrived()
  await Promise.all([worker.kill('SIGKILL'), cluster.start(['http-worker'])])
  hold.release()
  assert.equal((await cluster.ended(job.id, 40_000)).state, 'completed')
  assert.equal(site.requestsTo('/robots.txt').length, 2)
})
