// Tests limits of a job over several workers: the leader counts, the page limit is exact, and any process can raise a limit.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { raiseLimits } from '../../../src/pipeline/submit/raise-limits.ts'
import { startTestSite } from '../../site/index.ts'
import { TestCluster, until } from '../../support/cluster.ts'

test('two workers share the limit of one job, and the job continues after the limit is raised', {
  timeout: 180_000,
}, async () => {
  await using site = await startTestSite()
  await using cluster = await TestCluster.open({ SCRAPER_ALLOW_PRIVATE: `${site.host}:${site.port}` })
  await Promise.all([
    cluster.start(['http-worker']),
    cluster.start(['http-worker']),
    cluster.start(['coordinator', 'processor']),
  ])
  const urls = Array.from({ length: 40 }, (_, index) => `${site.url}/about?n=${index}`)
  const policy = { host: { rate: 'unlimited' as const }, limits: { pages: 10 } }
  const { id } = await cluster.submit({ urls, policy }, site)

  await until('the limit', async () => (await cluster.store.jobs.get(id))?.reason === 'limit.pages')
  const { pages, byState } = await cluster.store.jobs.counts(id)
  assert.deepEqual([pages, byState.pending], [10, 30])

  await raiseLimits(cluster.store, id, { pages: null }, {})
  await cluster.store.requests.leave({ jobId: id, kind: 'resume', at: Date.now() })
  assert.equal((await cluster.ended(id)).state, 'completed')
  assert.equal((await cluster.store.jobs.counts(id)).pages, 40)
})
