// Tests robots.txt in a cluster: if the worker that fetches it dies, the host must not stay blocked.
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { startTestSite, type TestSite } from '../../site/index.ts'
import { type RoleProcess, TestCluster, until } from '../../support/cluster.ts'

let cluster: TestCluster
let leader: RoleProcess
let sites: [TestSite, TestSite]
before(async () => {
  sites = await Promise.all([startTestSite(), startTestSite()])
  for (const site of sites) site.serve('/page/1', '<h1>Page 1</h1>')
  cluster = await TestCluster.open({
    SCRAPER_ALLOW_PRIVATE: sites.map(({ host, port }) => `${host}:${port}`).join(','),
    SCRAPER_LOG_LEVEL: 'info',
  })
})
after(async () => {
  await cluster?.[Symbol.asyncDispose]()
  for (const site of sites) await site[Symbol.asyncDispose]()
})

test('if a worker dies while it fetches robots.txt, another worker takes over within seconds', async () => {
  const [site] = sites
  using hold = site.hold('/robots.txt')
  const [worker, coordinator] = await Promise.all([
    cluster.start(['http-worker', 'processor']),
    cluster.start(['coordinator']),
  ])
  leader = coordinator
  const job = await cluster.submit({ urls: [`${site.url}/page/1`] }, site)
  await hold.arrived()
  await Promise.all([worker.kill('SIGKILL'), cluster.start(['http-worker', 'processor'])])
  hold.release()
  assert.equal((await cluster.ended(job.id)).state, 'completed')
  assert.equal(site.requestsTo('/robots.txt').length, 2)
})

test('if the leader dies while a worker fetches robots.txt, the next leader uses the response of that worker', async () => {
  const [, other] = sites
  // The next leader starts before the request: while a process starts, the worker could time out and request robots.txt again.
  const standby = await cluster.start(['coordinator'])
  using hold = other.hold('/robots.txt')
  const job = await cluster.submit({ urls: [`${other.url}/page/1`] }, other)
  await hold.arrived()
  await leader.kill('SIGKILL')
  await until('the standby to lead', () => standby.output().includes('this coordinator leads'))
  hold.release()
  assert.equal((await cluster.ended(job.id)).state, 'completed')
  assert.equal(other.requestsTo('/robots.txt').length, 1)
})
