// Tests proxy providers: the user name that selects the exit, and the options of each of their networks.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Failure } from '../../model/failures.ts'
import { proxyPolicy } from '../../model/policy/proxy.ts'
import { addressFor } from './endpoint.ts'
import { jobProxies, noProxies } from './job-proxies.ts'
import { brightData, placesIn, providerEndpoint } from './providers.ts'

const zones = {
  datacenter: { zone: 'dc1', password: 'pw-dc' },
  residential: { zone: 'res1', password: 'pw-res' },
  'web-unlocker': { zone: 'unl1', password: 'pw-unl' },
}
const bright = brightData({ customer: 'hl_1', zones })

const userOf = (asked: Parameters<typeof providerEndpoint>[1]) => {
  const { endpoint, warnings } = providerEndpoint([bright], asked)
  return { user: addressFor(endpoint, 's9').username, name: endpoint.name, warnings, endpoint }
}

test('a residential proxy of Bright Data is selected by country, state and city', () => {
  const { user, name, warnings, endpoint } = userOf({
    type: 'residential',
    country: 'US',
    state: 'az',
    city: 'San Francisco',
  })
  assert.equal(user, 'brd-customer-hl_1-zone-res1-country-us-state-az-city-sanfrancisco-session-s9')
  assert.deepEqual(
    [name, endpoint.password, endpoint.country, warnings],
    ['brightdata/residential/us', 'pw-res', 'us', []],
  )
  assert.deepEqual([endpoint.host, endpoint.port], ['brd.superproxy.io', 33_335])
})

test('a datacenter proxy is selected by country only, and other options cause a warning', () => {
  const { user, warnings } = userOf({ type: 'datacenter', country: 'us', state: 'az', city: 'phoenix' })
  assert.equal(user, 'brd-customer-hl_1-zone-dc1-country-us-session-s9')
  assert.equal(warnings.length, 2)
  assert.match(warnings[0]!, /datacenter .* country only: state "az" was left out/)
})

test('the web unlocker manages sessions itself, and uses its own certificates', () => {
  const { user, endpoint } = userOf({ type: 'web-unlocker', country: 'de' })
  assert.equal(user, 'brd-customer-hl_1-zone-unl1-country-de')
  assert.deepEqual([endpoint.isUnlocker, endpoint.hasManyExits], [true, true])
})

test('the error for an unknown proxy provider or type lists the known ones', () => {
  const refused = (asked: object, words: RegExp) =>
    assert.throws(
      () => jobProxies({ ...noProxies, providers: [bright] }, proxyPolicy.parse(asked)),
      (error: unknown) =>
        error instanceof Failure && error.code === 'input.invalid' && words.test(error.message),
    )
  refused({ provider: 'other', type: 'residential' }, /"other" is not a proxy provider.*brightdata/)
  refused({ type: 'satellite' }, /"satellite" is not a proxy type.*datacenter, residential, web-unlocker/)
  refused({ provider: 'brightdata' }, /choose a type of proxies.*datacenter/)
  refused({ type: 'residential', city: 'phoenix' }, /needs its country/)
  assert.throws(
    () => brightData({ customer: 'x', zones: { satellite: { zone: 'z', password: 'p' } } }),
    /satellite/,
  )
})

test('an unknown provider is used as a gateway with a template for user names', () => {
  const username = 'groups-X,session-{session},country-{country}'
  const other = {
    name: 'other',
    networks: {
      default: {
        gateway: 'http://gate.example:8000',
        username,
        password: 'pw',
        places: placesIn(username),
        isUnlocker: false,
      },
    },
  }
  const { endpoint, warnings } = providerEndpoint([other], {
    provider: 'other',
    country: 'fr',
    city: 'paris',
  })
  assert.equal(addressFor(endpoint, 'a1').username, 'groups-X,session-a1,country-fr')
  assert.match(warnings[0]!, /city "paris" was left out/)
})

test('the names of a job’s proxies contain no user, and location options only cause warnings', () => {
  const found = jobProxies(
    noProxies,
    proxyPolicy.parse({ urls: ['http://u:p@a.example:1', 'http://v:q@a.example:1'], country: 'de' }),
  )
  assert.deepEqual(
    found.endpoints?.map(({ name, isOperators }) => [name, isOperators]),
    [
      ['http://a.example:1', false],
      ['http://a.example:1#2', false],
    ],
  )
  assert.match(found.warnings[0]!, /country "de" was left out/)
})
