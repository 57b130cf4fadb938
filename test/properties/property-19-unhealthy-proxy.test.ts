// Property 19: a proxy that failed is unhealthy and excluded until a check succeeds.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { doubtful, host, ofProxy, proxySetOf, t0 } from './proxies.ts'

const chosenIn = (proxySet: ReturnType<typeof proxySetOf>['proxySet'], turns: number): Set<string> =>
  new Set(
    Array.from({ length: turns }, () => {
      const choice = proxySet.choose({ host, at: t0, rotation: 'round-robin', restMs: 0 })
      return choice !== 'none' && 'proxy' in choice ? choice.proxy.name : 'none'
    }),
  )

test('Property 19: a proxy that fails by its own fault is excluded at once, and returns after a successful check', () => {
  fc.assert(
    fc.property(fc.integer({ min: 1, max: 10 }), fc.nat(), (count, pick) => {
      const { proxySet, names } = proxySetOf(count)
      const name = names[pick % count]!
      proxySet.failed(name, host, ofProxy, t0)
      assert.equal(proxySet.isHealthy(name), false)
      assert.ok(!chosenIn(proxySet, count * 2).has(name))
      assert.deepEqual(
        proxySet.unhealthy.map(({ endpoint }) => endpoint.name),
        [name],
      )
      proxySet.checked(name, { trouble: 'proxy.failed', isDoubtful: false }, t0 + 60_000)
      assert.ok(!chosenIn(proxySet, count * 2).has(name))
      proxySet.checked(name, { trouble: null, isDoubtful: false }, t0 + 120_000)
      assert.ok(chosenIn(proxySet, count * 2).has(name))
    }),
  )
})

test('Property 19: one failing host makes no proxy unhealthy; three failures at several hosts do', () => {
  fc.assert(
    fc.property(fc.integer({ min: 1, max: 30 }), times => {
      const { proxySet, names } = proxySetOf(2)
      for (let turn = 0; turn < times; turn++) proxySet.failed(names[0]!, 'ill.example', doubtful, t0)
      assert.equal(proxySet.isHealthy(names[0]!), true)
      for (const other of ['a.example', 'b.example', 'c.example'])
        proxySet.failed(names[0]!, other, doubtful, t0)
      assert.equal(proxySet.isHealthy(names[0]!), false)
    }),
  )
})

test('Property 19: if a host answers another proxy while a request is in flight, the failure of the request counts against its proxy', () => {
  const { proxySet, names } = proxySetOf(2)
  proxySet.succeeded(names[1]!, host, t0 + 1)
  assert.equal(proxySet.failed(names[0]!, host, doubtful, t0 + 5, { startedAt: t0 + 2 }), false)
  proxySet.succeeded(names[0]!, host, t0 + 6)
  proxySet.succeeded(names[1]!, host, t0 + 8)
  assert.equal(proxySet.failed(names[0]!, host, doubtful, t0 + 9, { startedAt: t0 + 7 }), true)
  for (const at of [9, 9]) proxySet.failed(names[0]!, host, doubtful, t0 + at, { startedAt: t0 + 7 })
  assert.equal(proxySet.isHealthy(names[0]!), false)
})

test('Property 19: if a host answers other proxies, its silence counts against the proxy that gets no response', () => {
  const { proxySet, names } = proxySetOf(2)
  proxySet.failed(names[0]!, host, doubtful, t0)
  proxySet.succeeded(names[1]!, host, t0 + 1)
  proxySet.failed(names[0]!, host, doubtful, t0 + 2)
  assert.equal(proxySet.isHealthy(names[0]!), true)
  proxySet.failed(names[0]!, host, doubtful, t0 + 3)
  assert.equal(proxySet.isHealthy(names[0]!), false)
})
