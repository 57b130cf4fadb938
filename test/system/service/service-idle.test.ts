// Tests that an idle service has no threads, and that the first job starts them.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Worker } from 'node:worker_threads'
import { startDemoSite } from '../../../src/demo-site/index.ts'
import { TestService } from '../../support/service.ts'

test('a service without jobs has no threads; the first job starts them', async () => {
  const started: Worker[] = []
  const note = (worker: Worker) => void started.push(worker)
  process.on('worker', note)
  try {
    await using site = await startDemoSite({ crawlDelaySeconds: 0 })
    const allowPrivate = [`${site.host}:${site.port}`]
    await using service = await TestService.open({ settings: { lanes: 2, allowPrivate } })
    assert.equal((await service.ask('/me')).status, 200)
    assert.equal(started.length, 0)
    const { body } = await service.ask<{ job_id: string }>('/jobs', { body: { urls: [`${site.url}/`] } })
    assert.equal((await service.ended(body.job_id)).status, 'completed')
    assert.equal(started.length, 2)
  } finally {
    process.off('worker', note)
  }
})
