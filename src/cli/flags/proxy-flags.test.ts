// Tests which flags about proxies and identities are stored with the job.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { proxyPolicyOf } from './proxy-flags.ts'

test('the policy of a job never contains the URLs of --proxy, and without proxy flags it is empty', () => {
  assert.deepEqual(proxyPolicyOf({}), {})
  assert.deepEqual(proxyPolicyOf({ proxy: ['http://user:secret@p'] }), {})
})

test('--no-proxy is stored in the job, so the operator’s proxies are not used', () => {
  assert.deepEqual(proxyPolicyOf({ proxy: false }), { proxy: { use: 'never' } })
})

test('--proxy-rest 0s is stored as zero', () => {
  const flags = { proxyType: 'residential', country: 'de', proxyRotation: 'sticky', proxyRest: 0 } as const
  assert.deepEqual(proxyPolicyOf(flags), {
    proxy: { type: 'residential', country: 'de', rotation: 'sticky', restMs: 0 },
  })
})

test('--identities is stored separately from proxies', () => {
  assert.deepEqual(proxyPolicyOf({ identities: 3, browserHeaders: true, browserTls: true }), {
    identity: { count: 3, headers: 'browser', tls: 'browser' },
  })
  assert.deepEqual(proxyPolicyOf({ browserHeaders: false, browserTls: false }), {})
})
