// Tests kscrape start all: every role in one process, with the services of a cluster and a real browser.
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { Client } from '../../../src/client.ts'
import { allPids, commandLineOf } from '../../../src/fetch/browser/pool/processes.ts'
import { startTestSite, type TestSite } from '../../site/index.ts'
import { type RoleProcess, TestCluster } from '../../support/cluster.ts'

let cluster: TestCluster
let site: TestSite
let all: RoleProcess
let client: Client
before(async () => {
  site = await startTestSite()
  for (let page = 1; page <= 20; page += 1) site.serve(`/page/${page}`, `<h1>Page ${page}</h1>`)
  site.serve('/late', '<h1>Before</h1><script>document.querySelector("h1").textContent = "After"</script>')
  cluster = await TestCluster.open({
    SCRAPER_ALLOW_PRIVATE: `${site.host}:${site.port}`,
    SCRAPER_BROWSER_POOL_SIZE: '1',
  })
  all = await cluster.start(['all'], {}, ['--port', '0'])
  const server = /"url":"([^"]+)"/.exec(all.output())![1]!
  client = new Client({ server, apiKey: cluster.env.SCRAPER_API_KEY! })
})
after(async () => {
  await cluster?.[Symbol.asyncDispose]()
  await site?.[Symbol.asyncDispose]()
})

const quick = { host: { rate: 'unlimited' as const } }

test('if one process has all roles, a list and a file pass through each role', async () => {
  const urls = Array.from({ length: 20 }, (_, index) => `${site.url}/page/${index + 1}`)
  const list = await client.jobs.create({ urls, policy: quick })
  const { uploadId } = await client.uploads.send(urls.join('\n'), { fileName: 'pages.txt' })
  const file = await client.jobs.create({ uploadId, policy: quick })
  for (const { jobId } of [list, file]) {
    const { status, counts } = await client.jobs.wait(jobId)
    assert.deepEqual([status, counts.records], ['completed', 20], all.output())
  }
})

test('workers plan a list, a file and a site, and leave no job', async () => {
  const urls = Array.from({ length: 20 }, (_, index) => `${site.url}/page/${index + 1}`)
  const { uploadId } = await client.uploads.send(urls.join('\n'), { fileName: 'pages.txt' })
  const before = (await Array.fromAsync(client.jobs.list())).map(({ jobId }) => jobId)
  for (const job of [{ urls }, { uploadId }]) {
    const plan = await client.plan({ ...job, policy: quick })
    assert.deepEqual([plan.pages.count, plan.pages.hosts, plan.sample.pages], [20, 1, 20], all.output())
  }
  const crawled = await client.plan({ seedUrls: [`${site.url}/page/1`], policy: quick })
  assert.match(crawled.pages.basis, /sitemap/)
  assert.deepEqual(
    (await Array.fromAsync(client.jobs.list())).map(({ jobId }) => jobId),
    before,
  )
})

test('a page built by scripts is rendered by the browser worker', async () => {
  const rules = { fields: { heading: { css: 'h1' } } }
  const job = { urls: [`${site.url}/late`], render: 'always' as const, extract: rules, policy: quick }
  const { jobId } = await client.jobs.create(job)
  assert.equal((await client.jobs.wait(jobId)).status, 'completed', all.output())
  const records = (await Array.fromAsync(client.jobs.results(jobId))).map(
    item => 'data' in item && item.data.heading,
  )
  assert.deepEqual(records, ['After'])
})

test('after a stop request the process ends with its browser, and no lease is left', async () => {
  const pid = all.child.pid!
  assert.equal(await all.kill('SIGTERM'), 0, all.output())
  assert.deepEqual(
    allPids().filter(each => commandLineOf(each).includes(`kscrape-browser-${pid}-`)),
    [],
  )
  const held = await cluster.sql('SELECT 1 FROM tasks WHERE owner IS NOT NULL')
  assert.equal(held.length, 0)
})
