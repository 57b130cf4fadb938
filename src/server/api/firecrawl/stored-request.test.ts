// Tests the parts of a Firecrawl request that are stored with its job.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { jobOf } from '../../../../test/support/job-values.ts'
import type { Sealer } from '../../../ports/secrets.ts'
import { requestLabels, type StoredRequest, storedRequestOf, storedWebhook } from './stored-request.ts'

const sealer = {
  seal: (text: string, owner: string) => `sealed(${owner}):${text.length}`,
} as unknown as Sealer

test('a request is read from the labels of its job, however long it is', () => {
  const wanted = {
    formats: ['markdown'],
    warnings: ['x'.repeat(5_000)],
  } as unknown as StoredRequest['wanted']
  const kept: StoredRequest = { kind: 'crawl', version: 2, url: 'https://a.example/', wanted, webhook: null }
  assert.deepEqual(storedRequestOf(jobOf({ face: 'firecrawl', spec: { labels: requestLabels(kept) } })), kept)
})

test('the request of a job from another API is not found', () => {
  const forged = requestLabels({} as StoredRequest)
  for (const job of [
    jobOf({ face: 'jobs', spec: { labels: forged } }),
    jobOf({ face: 'firecrawl', spec: { labels: { team: 'a' } } }),
  ])
    assert.throws(() => storedRequestOf(job), { code: 'job.unknown' })
})

test('a Firecrawl webhook gets all events unless the request names some', () => {
  assert.equal(storedWebhook(sealer, 'job-1', undefined), null)
  const plain = storedWebhook(sealer, 'job-1', 'https://hook.example/')
  assert.deepEqual(plain, {
    ...{ url: 'https://hook.example/', headers: null, metadata: {} },
    events: ['started', 'page', 'completed', 'failed', 'cancelled'],
  })
  const some = storedWebhook(sealer, 'job-1', { url: 'https://hook.example/', events: ['page'] } as never)
  assert.deepEqual(some?.events, ['page'])
})

test('headers of a webhook are sealed for the job', () => {
  const kept = storedWebhook(sealer, 'job-1', {
    url: 'https://hook.example/',
    headers: { authorization: 'secret' },
  } as never)
  assert.match(kept!.headers!, /^sealed\(job-1\)/)
  assert.doesNotMatch(JSON.stringify(kept), /secret/)
})
