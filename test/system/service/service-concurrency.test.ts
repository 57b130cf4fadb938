// Tests SCRAPER_CONCURRENCY as the site sees it: it limits the requests in flight over all jobs.
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { test } from 'node:test'
import { startTestSite } from '../../site/index.ts'
import { TestService } from '../../support/service.ts'

const concurrency = 4

/** A slow site that counts concurrent requests. */
async function countingSite() {
  const seen = { inside: 0, most: 0 }
  const server = createServer((_request, response) => {
    seen.inside += 1
    seen.most = Math.max(seen.most, seen.inside)
    response.once('close', () => {
      seen.inside -= 1
    })
    setTimeout(() => response.setHeader('content-type', 'text/html').end('<title>here</title>'), 30)
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const host = `127.0.0.1:${(server.address() as AddressInfo).port}`
  return { host, seen, [Symbol.dispose]: () => void server.close() }
}

for (const lanes of [0, 2])
  test(`many small jobs together never exceed the service's limit of requests in flight (${lanes || 'no'} threads)`, async () => {
    using site = await countingSite()
    await using service = await TestService.open({
      settings: { lanes, concurrency, rate: 'unlimited', allowPrivate: [site.host] },
    })
    const policy = { host: { rate: 'unlimited', concurrency: 100 } }
    const jobIds = await Promise.all(
      Array.from({ length: 40 }, (_, n) => service.submit({ urls: [`http://${site.host}/${n}`], policy })),
    )
    const ended = await Promise.all(jobIds.map(jobId => service.ended(jobId)))
    assert.deepEqual(new Set(ended.map(({ status }) => status)), new Set(['completed']))
    assert.ok(site.seen.most <= concurrency, `${site.seen.most} at a time`)
  })

test('tasks that wait for a slot at a slow host do not block other hosts', async () => {
  await using slow = await startTestSite()
  await using quick = await startTestSite()
  const places = [slow, quick].map(({ host, port }) => `${host}:${port}`)
  await using service = await TestService.open({ settings: { concurrency: 2, allowPrivate: places } })
  const slowly = { policy: { host: { rate: 0.01 } } }
  const urls = Array.from({ length: 10 }, (_, n) => `${slow.url}/?${n}`)
  await service.submit({ urls, ...slowly })
  for (const url of urls) await service.submit({ urls: [url], ...slowly })

  const jobId = await service.submit({ urls: [`${quick.url}/`], policy: { host: { rate: 'unlimited' } } })

  assert.equal((await service.ended(jobId)).status, 'completed')
})
