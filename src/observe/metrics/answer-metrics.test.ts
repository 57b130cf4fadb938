// Tests the metrics of responses by route, in the format of Prometheus.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Registry } from 'prom-client'
import { AnswerMetrics } from './answer-metrics.ts'

test('responses are counted by method, route and status, and their durations go into cumulative buckets', async () => {
  const registry = new Registry()
  const metrics = new AnswerMetrics(registry, [0.01, 0.1])
  const answer = { method: 'GET', route: '/jobs/:jobId', status: 200 }

  for (const durationMs of [10, 50, 5_000]) metrics.add({ ...answer, durationMs })
  metrics.add({ ...answer, status: 404, durationMs: 1 })

  const lines = (await registry.metrics()).split('\n')
  const bucket = 'kscrape_http_answer_duration_seconds_bucket'
  const rest = 'method="GET",route="/jobs/:jobId"'
  for (const line of [
    `kscrape_http_answers_total{${rest},status="200"} 3`,
    `kscrape_http_answers_total{${rest},status="404"} 1`,
    `${bucket}{le="0.01",${rest}} 2`,
    `${bucket}{le="0.1",${rest}} 3`,
    `${bucket}{le="+Inf",${rest}} 4`,
    `kscrape_http_answer_duration_seconds_sum{${rest}} 5.061`,
    `kscrape_http_answer_duration_seconds_count{${rest}} 4`,
  ])
    assert.ok(lines.includes(line), `${line} in\n${lines.join('\n')}`)
})

test('reading the metrics twice counts no response twice', async () => {
  const registry = new Registry()
  const metrics = new AnswerMetrics(registry, [1])
  metrics.add({ method: 'GET', route: '/jobs', status: 200, durationMs: 1 })

  const first = await registry.metrics()

  assert.equal(await registry.metrics(), first)
})
