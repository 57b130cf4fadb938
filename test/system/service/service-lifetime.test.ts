// Tests a service that is stopped, killed and restarted. It completes all accepted work.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { startTestSite } from '../../site/index.ts'
import { eventually } from '../../support/eventually.ts'
import { operatorKey, TestService } from '../../support/service.ts'

const fast = { policy: { host: { rate: 'unlimited' } } }

test('a service that stops releases its tasks, and the next service continues them', async () => {
  await using site = await startTestSite()
  const settings = { allowPrivate: [`${site.host}:${site.port}`], graceMs: 50 }
  site.serve('/held', '<title>held</title>')
  const hold = site.hold('/held')
  const first = await TestService.open({ settings })
  const jobId = await first.submit({ urls: [`${site.url}/held`, `${site.url}/`], ...fast })
  // This job is submitted only now, because it allows one request every 100 s, and the stricter of two jobs decides the rate of
  // their host.
  await hold.arrived()
  const waiting = await first.submit({
    urls: [`${site.url}/categories/lamps`],
    policy: { host: { rate: 0.01 } },
  })
  await first.ask(`/jobs/${waiting}/pause`, { method: 'POST' })
  await first.close()
  hold.release()

  await using second = await TestService.open({ settings }, first.folder)
  assert.equal((await second.ended(jobId)).status, 'completed')
  const { body } = await second.ask(`/jobs/${waiting}`)
  assert.deepEqual([body.status, body.reason], ['paused', 'user'])
})

test('when a service stops, streams end, new jobs are refused, and accepted jobs stay stored', async () => {
  await using site = await startTestSite()
  const settings = { allowPrivate: [`${site.host}:${site.port}`], graceMs: 50 }
  site.serve('/held', '<title>held</title>')
  const hold = site.hold('/held')
  const service = await TestService.open({ settings })
  const jobId = await service.submit({ urls: [`${site.url}/held`], ...fast })
  await hold.arrived()
  const watching = await fetch(`${service.url}/jobs/${jobId}/events`, {
    headers: { 'x-api-key': operatorKey },
  })
  service.service.stop()
  assert.match(await watching.text(), /event: progress/)
  await service.service.done
  await service.close()
  hold.release()
  await using next = await TestService.open({ settings }, service.folder)
  assert.equal((await next.ended(jobId)).status, 'completed')
})

test('small jobs finish while a large job runs', async () => {
  await using site = await startTestSite()
  await using service = await TestService.open({
    settings: { allowPrivate: [`${site.host}:${site.port}`], concurrency: 4 },
  })
  const urls = Array.from({ length: 2_000 }, (_, index) => `${site.url}/?n=${index}`)
  const large = await service.submit({ urls, ...fast })
  const small = await service.submit({ urls: [`${site.url}/categories/lamps`], ...fast })
  assert.equal((await service.ended(small)).status, 'completed')
  const { body } = await service.ask<{ status: string }>(`/jobs/${large}`)
  assert.equal(body.status, 'running')
  await service.ask(`/jobs/${large}/cancel`, { method: 'POST' })
})

test('records can be found after the search index has been updated', async () => {
  await using site = await startTestSite()
  await using service = await TestService.open({ settings: { allowPrivate: [`${site.host}:${site.port}`] } })
  await service.ended(await service.submit({ urls: [`${site.url}/`], ...fast }))
  const { search } = service.service.engine.data.store
  const found = () => search.query({ workspace: 'default', text: 'things that last', limit: 5 })
  await eventually('the record in the index', async () => (await found()).length > 0)
})
