// Tests which proxies Firecrawl's country and proxy type select, within the scopes of the key.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Caller } from '../../../model/access.ts'
import type { Server } from '../../parts.ts'
import { withProxies } from './proxies.ts'

/** `known` maps `country type` to a provider name, or to null. Proxies of a provider need a consent. */
function serverWith(known: Record<string, string | null>, consents: string[] = []): Server {
  const find = ({ country = '', type = '' }: { country?: string; type?: string }) => {
    const key = `${country} ${type}`.trim()
    return key in known ? { provider: known[key], proxy: { country: key } } : null
  }
  return { settings: { consents }, parts: { proxies: { find } } } as unknown as Server
}

const caller = { scopes: ['submit', 'proxies'] } as unknown as Caller
const asked = (server: Server, country: string | null, isStealth = false) =>
  withProxies(server, caller, { country, isStealth, warnings: ['before'] })

test('without a country and without stealth no proxy is chosen', () => {
  assert.deepEqual(asked(serverWith({ de: null }), null), {
    ...{ country: null, isStealth: false, warnings: ['before'], proxy: {} },
  })
})

test('a country is found in any letter case', () => {
  assert.deepEqual(asked(serverWith({ de: null }), 'DE').proxy, { country: 'de' })
})

test('stealth prefers residential proxies, then any proxy in the country', () => {
  const both = serverWith({ 'de residential': null, de: null })
  assert.deepEqual(asked(both, 'de', true).proxy, { country: 'de residential' })
  assert.deepEqual(asked(serverWith({ de: null }), 'de', true).proxy, { country: 'de' })
  assert.deepEqual(asked(serverWith({ residential: null }), null, true).proxy, { country: 'residential' })
})

test('there is a warning if no proxy is in the country, and no warning if the stealth mode finds no proxy', () => {
  assert.deepEqual(asked(serverWith({}), null, true).warnings, ['before'])
  const { warnings, proxy } = asked(serverWith({}), 'fr')
  assert.deepEqual(proxy, {})
  assert.match(warnings[1]!, /location\.country: .* FR/)
})

test('an invalid country gives a warning, and no proxy is looked up', () => {
  assert.match(asked(serverWith({ '': null }), 'Germany').warnings[1]!, /"Germany"/)
})

test('proxies of a provider need a key with the scope for them, and the error names the field', () => {
  const known = { de: 'acme', residential: 'acme' }
  assert.deepEqual(asked(serverWith(known, ['proxies']), 'de').proxy, { country: 'de' })
  const refused = asked(serverWith(known), 'de')
  assert.deepEqual(refused.proxy, {})
  assert.match(refused.warnings[1]!, /^location\.country: .*acme.*"proxies"/)
  assert.match(asked(serverWith(known), null, true).warnings[1]!, /^proxy: /)
})
