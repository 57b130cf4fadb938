// Property 16: two consecutive stealth identities differ in something that a website can see.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { identityMaker } from '../../src/fetch/browser/identity/identity.ts'
import type { Desktop } from '../../src/fetch/browser/identity/identity-profiles.ts'
import type { Identity } from '../../src/model/policy/rendering.ts'
import { anyRandom, anySystem } from './identities.ts'

/** Both identities have the same hardware values, so that another attribute must differ. */
const desktop: Desktop = {
  screen: { width: 1_920, height: 1_080 },
  deviceScaleFactor: 1,
  platformVersion: '',
}
const loadProfiles = async () => () => desktop
const visible = ({ id: _id, ...rest }: Identity) => rest

const anySession = fc.record({
  mobile: fc.constantFrom(false, true, 'Galaxy S24'),
  region: fc.constantFrom(null, 'DE', 'US'),
})

test('Property 16: two consecutive stealth identities differ in their names and in at least one attribute', async () => {
  await fc.assert(
    fc.asyncProperty(
      anySystem,
      anyRandom,
      fc.array(anySession, { minLength: 2, maxLength: 6 }),
      async (system, random, sessions) => {
        const identityFor = identityMaker({ userAgent: 'kscrape', system, random, loadProfiles })
        let last: Identity | null = null
        for (const options of sessions) {
          const next = await identityFor({ browser: 'stealth', version: '156.0.8078.79', ...options })
          if (last !== null) assert.notDeepEqual(visible(next), visible(last))
          assert.notEqual(next.id, last?.id)
          last = next
        }
      },
    ),
  )
})
