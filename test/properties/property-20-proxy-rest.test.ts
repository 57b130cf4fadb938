// Property 20: a proxy that was used for a host must rest before it is used for that host again.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { proxyPolicy } from '../../src/model/policy/proxy.ts'
import { proxySetOf, t0 } from './proxies.ts'

const asked = fc.array(
  fc.record({
    host: fc.constantFrom('a.example', 'b.example', 'c.example'),
    waitMs: fc.nat({ max: 40_000 }),
  }),
  { minLength: 1, maxLength: 60 },
)

test('Property 20: a proxy rests for at least its rest time between two requests to one host, whatever other requests run', () => {
  fc.assert(
    fc.property(
      fc.integer({ min: 1, max: 5 }),
      fc.integer({ min: 1, max: 60_000 }),
      fc.constantFrom('round-robin' as const, 'random' as const),
      asked,
      (count, restMs, rotation, asks) => {
        const { proxySet } = proxySetOf(count)
        const lastUse = new Map<string, number>()
        let at = t0
        for (const { host, waitMs } of asks) {
          at += waitMs
          const choice = proxySet.choose({ host, at, rotation, restMs })
          assert.notEqual(choice, 'none')
          if (choice === 'none') return
          if ('until' in choice) {
            assert.ok(choice.until > at)
            // `until` is the exact time at which a proxy is ready, not an earlier time.
            assert.equal(proxySet.readyAt(host, choice.until), choice.until)
            continue
          }
          const key = `${choice.proxy.name} ${host}`
          assert.ok(at - (lastUse.get(key) ?? Number.NEGATIVE_INFINITY) >= restMs)
          lastUse.set(key, at)
        }
      },
    ),
  )
})

test('Property 20: by default a proxy rests for half a minute', () => {
  assert.equal(proxyPolicy.parse({}).restMs, 30_000)
})
