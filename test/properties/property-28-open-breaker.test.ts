// Property 28: while the breaker of a host is open, the service refuses at once and sends that host nothing.
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import fc from 'fast-check'
import { HostTable } from '../../src/dispatch/host-table.ts'
import { hostPolicy } from '../../src/model/policy/policy.ts'
import { ScrapeApi } from '../support/scrape-api.ts'
import { answer, ManyHosts, page } from './many-hosts.ts'

let hosts: ManyHosts
let api: ScrapeApi
before(async () => {
  hosts = await ManyHosts.open()
  api = await ScrapeApi.open({ settings: { allowPrivate: hosts.places } })
})
after(async () => {
  await api?.[Symbol.asyncDispose]()
  await hosts?.[Symbol.asyncDispose]()
})

const target = (host: string) => ({ url: `http://${host}/`, target_type: 'page' })

// Fails if `earliestStart` ignores the breaker, so that requests continue, or if the breaker of one host stops other hosts.
test('Property 28: while a breaker is open, the service answers 503 at once, and no sync call or batch reaches the host', async () => {
  await fc.assert(
    fc.asyncProperty(fc.integer({ min: 1, max: 4 }), async failures => {
      const ill = hosts.next(answer(500))
      const well = hosts.next(page)
      const policy = { breaker: { window: 10, failures, cooldown_ms: 900_000 } }
      await api.service.ask(`/hosts/${ill}/policy`, { method: 'PUT', body: policy })
      const urls = Array.from({ length: failures }, (_, index) => `http://${ill}/${index}`)
      await api.service.ended(await api.service.submit({ urls, policy: { retries: { attempts: 0 } } }))
      assert.equal(hosts.pagesOf(ill).length, failures)
      const shown = await api.service.ask<{ breaker: { state: string } }>(`/hosts/${ill}`)
      assert.equal(shown.body.breaker.state, 'open')

      const { status, body, headers } = await api.ask('/sync', { body: target(ill) })
      assert.deepEqual([status, body.error?.code], [503, 'CircuitOpenError'])
      assert.ok(Number(headers.get('retry-after')) > 600)
      const { task_ids } = await api.batch([target(ill), target(ill), target(well)])
      assert.equal((await api.ask('/sync', { body: target(well) })).status, 200)
      assert.deepEqual(
        (await Promise.all(task_ids.slice(0, 2).map(id => api.task(id)))).map(task => task.status),
        ['queued', 'queued'],
      )
      assert.equal(hosts.pagesOf(ill).length, failures)
    }),
    { numRuns: 4 },
  )
})

const t0 = Date.UTC(2026, 0, 1)
const limits = fc.record(
  {
    rate: fc.oneof(fc.constant('unlimited' as const), fc.integer({ min: 1, max: 1_000 })),
    burst: fc.integer({ min: 1, max: 100 }),
    concurrency: fc.integer({ min: 1, max: 1_000 }),
    robots: fc.constantFrom('obey' as const, 'ignore' as const),
  },
  { requiredKeys: [] },
)

test('Property 28: while the breaker is open no request starts, whatever policy a job has', () => {
  const cooldown = fc.integer({ min: 1_000, max: 3_600_000 })
  fc.assert(
    fc.property(
      cooldown,
      fc.double({ min: 0, max: 0.999, noNaN: true }),
      limits,
      (cooldownMs, share, ask) => {
        const policy = hostPolicy.parse({ breaker: { failures: 1, cooldownMs } })
        const table = new HostTable({ policyFor: () => policy })
        table.finished('ill.example', { startedAt: t0, endedAt: t0, failure: 'fetch.timeout' }, t0)
        const now = t0 + Math.max(1_000, cooldownMs) * share
        const answer = table.reserve('ill.example', now, now, ask)
        assert.equal(answer.ok, false)
        if (now > t0 + 1_000)
          assert.deepEqual(answer, { ok: false, until: t0 + cooldownMs, reason: 'breaker' })
        assert.equal(table.reserve('well.example', now, now, ask).ok, true)
      },
    ),
  )
})

test('Property 28: late responses of earlier requests neither open nor close the breaker', () => {
  fc.assert(
    fc.property(fc.array(fc.boolean(), { maxLength: 30 }), outcomes => {
      const policy = hostPolicy.parse({ breaker: { failures: 1 } })
      const table = new HostTable({ policyFor: () => policy })
      table.finished('ill.example', { startedAt: t0, endedAt: t0, failure: 'connection.lost' }, t0)
      for (const failed of outcomes) {
        const late = {
          startedAt: t0 - 5,
          endedAt: t0 + 500,
          ...(failed && { failure: 'fetch.timeout' as const }),
        }
        table.finished('ill.example', late, t0 + 500)
      }
      assert.equal(table.view('ill.example', t0 + 119_999)!.breaker, 'open')
      assert.equal(table.view('ill.example', t0 + 120_000)!.breaker, 'half_open')
    }),
  )
})
