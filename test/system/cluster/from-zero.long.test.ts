// A cluster that is scaled to zero wakes for a job that only a browser can do, and sleeps again.
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { ScaledCluster } from './scaled-cluster.ts'

let scaled: ScaledCluster
before(async () => {
  scaled = await ScaledCluster.open()
  scaled.site.serve('/page/1', '<h1>Page 1</h1>')
})
after(() => scaled?.[Symbol.asyncDispose]())

test('a rendered job on a cluster without workers is done by browser workers alone, which stop afterwards', async () => {
  const { cluster, site } = scaled
  const spec = { urls: [`${site.url}/page/1`], render: 'always' }
  const { job_id } = await scaled.post<{ job_id: string }>('/jobs', spec)
  assert.equal((await cluster.ended(job_id)).state, 'completed')
  assert.equal(site.requestsTo('/robots.txt').length, 1)
  assert.deepEqual(await scaled.idle(), ['browser-worker', 'processor'])
})
