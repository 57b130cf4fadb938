// Property 21: each success and each failure of a proxy is counted once, and the counts are shown without secrets.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { doubtful, host, ofProxy, proxySetOf, t0 } from './proxies.ts'

const happened = fc.array(
  fc.record({ proxy: fc.nat({ max: 3 }), what: fc.constantFrom('success', 'doubt', 'failure') }),
  { maxLength: 100 },
)

test('Property 21: the counts of each proxy equal the requests that the proxy recorded', () => {
  fc.assert(
    fc.property(happened, events => {
      const { proxySet, names } = proxySetOf(4)
      for (const { proxy, what } of events) {
        if (what === 'success') proxySet.succeeded(names[proxy]!, host, t0)
        else proxySet.failed(names[proxy]!, host, what === 'doubt' ? doubtful : ofProxy, t0)
      }
      const count = (proxy: number, isSuccess: boolean) =>
        events.filter(event => event.proxy === proxy && (event.what === 'success') === isSuccess).length
      assert.deepEqual(
        proxySet.states.map(({ name, successes, failures }) => ({ name, successes, failures })),
        names.map((name, index) => ({ name, successes: count(index, true), failures: count(index, false) })),
      )
      assert.equal(proxySet.healthy, proxySet.states.filter(({ isHealthy }) => isHealthy).length)
      assert.doesNotMatch(JSON.stringify(proxySet.states), /u:p|@/)
    }),
  )
})
