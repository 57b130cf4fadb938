// Which flags about proxies and identities are stored with the job.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { proxyPolicyOf } from './proxy-flags.ts'

test('without flags nothing is stored, and named proxies are not stored either', () => {
  assert.deepEqual(proxyPolicyOf({}), {})
  assert.deepEqual(proxyPolicyOf({ proxy: ['http://user:secret@p'] }), {})
})

test('--no-proxy is stored: the operator’s proxies are not used', () => {
  assert.deepEqual(proxyPolicyOf({ proxy: false }), { proxy: { use: 'never' } })
})

test('a rest of zero is stored', () => {
  const flags = { proxyType: 'residential', country: 'de', proxyRotation: 'sticky', proxyRest: 0 } as const
  assert.deepEqual(proxyPolicyOf(flags), {
    proxy: { type: 'residential', country: 'de', rotation: 'sticky', restMs: 0 },
  })
})

test('identities are stored separately from proxies', () => {
  assert.deepEqual(proxyPolicyOf({ identities: 3, browserHeaders: true, browserTls: true }), {
    identity: { count: 3, headers: 'browser', tls: 'browser' },
  })
  assert.deepEqual(proxyPolicyOf({ browserHeaders: false, browserTls: false }), {})
})
