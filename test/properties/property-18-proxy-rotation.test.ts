// Property 18: proxies rotate, and only healthy ones are used.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { host, ofProxy, proxySetOf, someDown, t0 } from './proxies.ts'

test('Property 18: each round chooses every healthy proxy once, in order, and chooses no unhealthy proxy', () => {
  fc.assert(
    fc.property(someDown, fc.integer({ min: 1, max: 5 }), ([count, down], rounds) => {
      const { proxySet, names } = proxySetOf(count)
      for (const index of down) proxySet.failed(names[index]!, host, ofProxy, t0)
      const healthy = names.filter((_, index) => !down.includes(index))
      const chosen = Array.from({ length: healthy.length * rounds }, () => {
        const choice = proxySet.choose({ host, at: t0, rotation: 'round-robin', restMs: 0 })
        return choice !== 'none' && 'proxy' in choice ? choice.proxy.name : 'none'
      })
      assert.deepEqual(chosen, Array.from({ length: rounds }, () => healthy).flat())
      if (healthy.length === 0)
        assert.equal(proxySet.choose({ host, at: t0, rotation: 'round-robin', restMs: 0 }), 'none')
    }),
  )
})

test('Property 18: random selection chooses only healthy proxies', () => {
  fc.assert(
    fc.property(someDown, ([count, down]) => {
      const { proxySet, names } = proxySetOf(count)
      for (const index of down) proxySet.failed(names[index]!, host, ofProxy, t0)
      for (let turn = 0; turn < 20; turn++) {
        const choice = proxySet.choose({ host, at: t0, rotation: 'random', restMs: 0 })
        if (choice === 'none') assert.equal(proxySet.healthy, 0)
        else assert.ok('proxy' in choice && proxySet.isHealthy(choice.proxy.name))
      }
    }),
  )
})
