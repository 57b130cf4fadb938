// Tests hostile pages on a cluster whose processes are killed while they run: every task ends, and the other workspace's job has
// all its records.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { defaultWorkspace } from '../../src/model/access.ts'
import { TestCluster, until } from '../support/cluster.ts'
import { BombSite, goodPages } from './bomb-site.ts'

const bombs = ['json of empty objects', 'json-ld of empty objects', 'deep html', 'gzip bomb', 'many links']
const policy = { host: { rate: 'unlimited' as const, concurrency: 5 }, robots: 'ignore' as const }

test('if workers and processors are killed while they parse hostile pages, no record is lost', {
  timeout: 900_000,
}, async () => {
  await using site = await BombSite.open()
  const port = Number(site.place.split(':')[1])
  const places = `127.0.0.1:${port},localhost:${port}`
  await using cluster = await TestCluster.open({ SCRAPER_ALLOW_PRIVATE: places, SCRAPER_RATE: 'unlimited' })
  const [coordinator] = await Promise.all([
    cluster.start(['coordinator']),
    cluster.start(['http-worker']),
    cluster.start(['processor']),
  ])
  let [worker, processor] = await Promise.all([cluster.start(['http-worker']), cluster.start(['processor'])])
  const bombed = await cluster.submit(
    { urls: bombs.map(name => site.urlOf(name)), policy },
    { host: 'localhost', port },
    { origin: { workspace: 'alpha' } },
  )
  const good = await cluster.submit(
    { urls: site.goodUrls, policy },
    { host: '127.0.0.1', port },
    { origin: { workspace: defaultWorkspace } },
  )
  const settled = async (jobId: string) => {
    const { byState } = await cluster.store.jobs.counts(jobId)
    return byState.succeeded + byState.failed + byState.skipped
  }
  for (const share of [0.2, 0.5, 0.8]) {
    await until('pages of the good job', async () => (await settled(good.id)) >= share * goodPages, 300_000)
    await Promise.all([worker.kill(), processor.kill()])
    ;[worker, processor] = await Promise.all([cluster.start(['http-worker']), cluster.start(['processor'])])
  }
  const ended = await cluster.ended(good.id, 300_000)
  await cluster.ended(bombed.id, 600_000)

  assert.equal(ended.state, 'completed')
  assert.equal((await cluster.store.jobs.counts(good.id)).records, goodPages)
  assert.equal(coordinator.child.exitCode, null)
  for (const { url, state, reason } of await cluster.store.tasks.list(bombed.id))
    assert.ok(
      state === 'succeeded' || /^((body|page|record)\.too-|content\.unreadable$)/.test(reason ?? ''),
      `${url}: ${state} ${reason}`,
    )
})
