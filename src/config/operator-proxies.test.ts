// Tests which proxies the operator's settings define.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { noProxies } from '../fetch/proxies/job-proxies.ts'
import { operatorProxies, proxySecrets } from './operator-proxies.ts'
import { type SettingsInput, settingsSchema } from './settings.ts'

const from = (given: SettingsInput) => operatorProxies(settingsSchema.parse(given))

test('without proxy settings there are no proxies', () => {
  assert.equal(from({}), noProxies)
})

test('proxies from the settings belong to the operator', () => {
  const { proxies, providers } = from({
    proxies: ['http://me:secret@p.example:8080', 'socks5://q.example:1080'],
  })
  assert.equal(proxies.length, 2)
  assert.ok(proxies.every(({ isOperators, source }) => isOperators && source === 'operator'))
  assert.deepEqual(providers, [])
})

test('kscrape resolves host names itself, unless SCRAPER_PROXY_DNS lets the proxy resolve them', () => {
  const proxies = ['http://p.example:8080']
  assert.equal(from({ proxies }).names, 'here')
  assert.equal(from({ proxies, proxyDns: 'proxy' }).names, 'there')
})

test('a provider needs both its customer and its zones', () => {
  const zones = { brightdataZones: ['residential=zone1:password1'] }
  assert.throws(() => from(zones), { code: 'input.invalid', message: /belong together/ })
  assert.throws(() => from({ brightdataCustomer: 'c1' }), { message: /belong together/ })
  const { providers } = from({ ...zones, brightdataCustomer: 'c1' })
  assert.deepEqual(Object.keys(providers[0]!.networks), ['residential'])
})

test('the error for an invalid zone does not show the password of the zone', () => {
  const given = { brightdataCustomer: 'c1', brightdataZones: ['residential=hidden-word'] }
  assert.throws(
    () => from(given),
    (error: Error) => /"residential…"/.test(error.message) && !error.message.includes('hidden-word'),
  )
})

test('the redactor of logs removes every proxy password', () => {
  const settings = settingsSchema.parse({
    ...{ proxies: ['http://me:first-secret@p.example:8080', 'http://q.example:1'] },
    ...{ brightdataCustomer: 'c1', brightdataZones: ['residential=zone1:second-secret'] },
  })
  assert.deepEqual(proxySecrets(settings), ['first-secret', 'second-secret'])
})
