// Tests that browsers keep Chromium's sandbox, and connect only through the proxy of the egress gate.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { launchFlags } from '../../src/fetch/browser/pool/launch-flags.ts'

const flags = (isRoot: boolean) => launchFlags({ headless: true, isRoot })

test('Chromium runs without its sandbox only under root, because Chromium refuses to use a sandbox as root', () => {
  assert.deepEqual(
    flags(false).filter(flag => /sandbox|disable-web-security|remote-debugging/.test(flag)),
    [],
  )
  assert.ok(flags(true).includes('--no-sandbox'))
})

test('a browser resolves no host name itself, and sends no packet except through the proxy', () => {
  const all = flags(false)
  assert.ok(all.includes('--disable-quic'))
  assert.ok(all.includes('--host-resolver-rules=MAP * ~NOTFOUND , EXCLUDE 127.0.0.1'))
  assert.ok(all.includes('--webrtc-ip-handling-policy=disable_non_proxied_udp'))
  assert.ok(all.includes('--force-webrtc-ip-handling-policy=disable_non_proxied_udp'))
})
