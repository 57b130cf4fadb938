// Property 26: a 429 halves the rate of the host for a while. Then the full rate returns in steps.
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import fc from 'fast-check'
import { HostTable } from '../../src/dispatch/host-table.ts'
import { hostPolicy } from '../../src/model/policy/policy.ts'
import { found } from '../support/eventually.ts'
import { TestService } from '../support/service.ts'
import { answer, ManyHosts, page } from './many-hosts.ts'

let hosts: ManyHosts
let service: TestService
before(async () => {
  hosts = await ManyHosts.open()
  service = await TestService.open({ settings: { allowPrivate: hosts.places } })
})
after(async () => {
  await service?.[Symbol.asyncDispose]()
  await hosts?.[Symbol.asyncDispose]()
})

interface HostShown {
  rate_now: number
  rate_factor: number
}
const shown = async (of: string) => (await service.ask<HostShown>(`/hosts/${of}`)).body

/** A host that answers its first request for a page with 429, under this policy. */
async function throttling(rate: number, durationMs: number): Promise<string> {
  const name = hosts.next((response, before) => (before === 0 ? answer(429) : page)(response, before))
  const body = { rate, slowdown: { duration_ms: durationMs, restore_steps: 1 } }
  const { status, text } = await service.ask(`/hosts/${name}/policy`, { method: 'PUT', body })
  assert.equal(status, 200, text)
  return name
}

const fetched = async (name: string, pages: number): Promise<void> => {
  const urls = Array.from({ length: pages }, (_, index) => `http://${name}/${index}`)
  const policy = { host: { rate: 'unlimited' }, retries: { base_ms: 1 } }
  const { status } = await service.ended(await service.submit({ urls, policy }))
  assert.equal(status, 'completed')
}

// Fails if `learnOutcomes` does not report a 429 to the host table, if `rate_now` shows the rate of the policy, or if the slots
// ignore the slowdown.
test('Property 26: after a 429 the service requests the host at half its rate, and GET /hosts shows this', async () => {
  const anyRate = fc.integer({ min: 5, max: 9 })
  const measured: Measured[] = []
  for (const rate of fc.sample(anyRate, mostAttempts)) {
    measured.push(await spanOf(rate))
    if (isHalved(measured.at(-1)!)) return
  }
  assert.fail(`no attempt ran at half the rate: ${JSON.stringify(measured)}`)
})

/** If the machine stalls while requests are in flight, they arrive closer together. So the test passes if one attempt runs
 *  without a stall. */
const mostAttempts = 5

interface Measured {
  rate: number
  spanMs: number
  /** The time that the pages take at half the rate. At the full rate they would take half of this time. */
  atHalfRateMs: number
}

const isHalved = ({ spanMs, atHalfRateMs }: Measured): boolean => spanMs > atHalfRateMs * 0.75

async function spanOf(rate: number): Promise<Measured> {
  const name = await throttling(rate, 600_000)
  await fetched(name, 6)
  const { rate_now, rate_factor } = await shown(name)
  assert.deepEqual([rate_now, rate_factor], [rate / 2, 0.5])
  const [refused, ...others] = hosts.pagesOf(name)
  assert.equal(others.length, 6, `${refused?.path} is requested again`)
  const spanMs = others.at(-1)!.at - others[0]!.at
  return { rate, spanMs, atHalfRateMs: (others.length - 1) * (2_000 / rate) }
}

// Fails if the slowdown never ends.
test('Property 26: the full rate returns at the end of the slowdown', async () => {
  const name = await throttling(50, 300)
  await fetched(name, 2)
  const restored = await found('the full rate', async () => {
    const { rate_now, rate_factor } = await shown(name)
    return rate_factor === 1 ? rate_now : undefined
  })
  assert.equal(restored, 50)
})

const host = 'busy.example'
const t0 = Date.UTC(2026, 0, 1)
const anyPolicy = fc
  .record({
    rate: fc.double({ min: 0.1, max: 100, noNaN: true }),
    slowdown: fc.record({
      durationMs: fc.integer({ min: 1_000, max: 600_000 }),
      restoreSteps: fc.integer({ min: 1, max: 20 }),
    }),
  })
  .map(given => hostPolicy.parse({ ...given, concurrency: 1_000 }))

function throttledAt(policy: ReturnType<typeof hostPolicy.parse>, now: number): HostTable {
  const table = new HostTable({ policyFor: () => policy })
  table.reserve(host, now, now, {})
  table.finished(host, { startedAt: now, endedAt: now, failure: 'host.throttled' }, now)
  return table
}

/** The time between two slots that are both requested at `now`. */
function gapAt(table: HostTable, now: number): number {
  const first = table.reserve(host, now, now + 10 ** 9, {})
  assert.ok(first.ok)
  const second = table.reserve(host, now, now + 10 ** 9, {})
  assert.ok(second.ok)
  return second.at - first.at
}

const isClose = (a: number, b: number) => Math.abs(a - b) < 0.01

test('Property 26: after a 429 the host is requested at half its rate until the slowdown ends', () => {
  fc.assert(
    fc.property(anyPolicy, fc.double({ min: 0, max: 0.999, noNaN: true }), (policy, share) => {
      const table = throttledAt(policy, t0)
      const during = t0 + policy.slowdown.durationMs * share
      assert.ok(isClose(gapAt(table, during), 2_000 / (policy.rate as number)))
    }),
  )
})

test('Property 26: the rate recovers in steps, never falls, and is the full rate in the end', () => {
  fc.assert(
    fc.property(anyPolicy, policy => {
      const { durationMs, restoreSteps } = policy.slowdown
      const table = throttledAt(policy, t0)
      let last = 0.5
      for (let step = 1; step <= restoreSteps; step += 1) {
        const factor = table.view(
          host,
          t0 + durationMs + (durationMs * (step - 0.5)) / restoreSteps,
        )!.rateFactor
        assert.ok(factor > last && isClose(factor, 0.5 + (0.5 * step) / restoreSteps))
        last = factor
      }
      assert.equal(last, 1)
      assert.ok(isClose(gapAt(table, t0 + 2 * durationMs), 1_000 / (policy.rate as number)))
    }),
  )
})

test('Property 26: each further 429 slows the host more, down to a limit, and the full rate returns', () => {
  fc.assert(
    fc.property(anyPolicy, fc.integer({ min: 1, max: 50 }), (policy, count) => {
      const table = throttledAt(policy, t0)
      for (let n = 1; n < count; n += 1)
        table.finished(host, { startedAt: t0 + n, endedAt: t0 + n, failure: 'host.throttled' }, t0 + n)
      const { rateFactor } = table.view(host, t0 + count)!
      assert.ok(isClose(rateFactor, Math.max(1 / 8, 0.5 ** count)))
      assert.equal(table.view(host, t0 + count + 2 * policy.slowdown.durationMs)!.rateFactor, 1)
    }),
  )
})

test('Property 26: a 429 of one host does not affect the others', () => {
  fc.assert(
    fc.property(anyPolicy, policy => {
      const table = throttledAt(policy, t0)
      const first = table.reserve('other.example', t0, t0, {})
      const second = table.reserve('other.example', t0, t0 + 10 ** 9, {})
      assert.ok(first.ok && second.ok && isClose(second.at - t0, 1_000 / (policy.rate as number)))
    }),
  )
})
