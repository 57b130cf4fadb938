// Tests proxies as text: how a line is parsed, how user names are filled in, and which parts may be shown.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Failure } from '../../model/failures.ts'
import { addressFor, filled, named, parseProxy } from './endpoint.ts'

test('the scheme, address and user of a proxy are parsed, and the name of the proxy contains no secret', () => {
  const proxy = parseProxy('http://ann:p%40ss@Proxy.Example.:8080')
  assert.deepEqual(
    [proxy.scheme, proxy.host, proxy.port, proxy.username, proxy.password],
    ['http', 'proxy.example', 8_080, 'ann', 'p@ss'],
  )
  assert.equal(proxy.name, 'http://proxy.example:8080')
  assert.equal(parseProxy('socks5://[::1]').name, 'socks5://[::1]:1080')
  assert.equal(parseProxy('socks5://0x7f.1:80').name, 'socks5://127.0.0.1:80')
})

test('an invalid proxy is refused without its password in the message', () => {
  for (const text of ['ftp://a:s3cret@b', 'http://a:s3cret@b/path', 'a:s3cret@b:80', 'nonsense', '']) {
    const refused = (error: unknown) =>
      error instanceof Failure && error.code === 'input.invalid' && !error.message.includes('s3cret')
    assert.throws(() => parseProxy(text), refused, text)
  }
})

test('two users at one proxy address are two proxies', () => {
  const names = named(['http://a:1@p.example:80', 'http://b:2@p.example:80'].map(text => parseProxy(text)))
  assert.deepEqual(
    names.map(({ name }) => name),
    ['http://p.example:80', 'http://p.example:80#2'],
  )
})

test('placeholders in the user name of a proxy are filled in, and unused placeholders leave no gap', () => {
  const template = 'brd-customer-7-zone-z-country-{country}-state-{state}-city-{city}-session-{session}'
  assert.equal(
    filled(template, { country: 'US', state: 'az', city: 'San Francisco', session: 'a1' }),
    'brd-customer-7-zone-z-country-us-state-az-city-sanfrancisco-session-a1',
  )
  assert.equal(filled(template, { session: 'a1' }), 'brd-customer-7-zone-z-session-a1')
  assert.equal(filled('groups-X,session-{session},country-{country}', { session: 's' }), 'groups-X,session-s')
})

test('each identity has its own exit if a proxy gateway has many exits', () => {
  const gateway = parseProxy('http://user-session-{session}:pw@gate.example:80')
  assert.ok(gateway.hasManyExits)
  const [one, two] = ['a1', 'b2'].map(session => addressFor(gateway, session))
  assert.deepEqual([one!.username, two!.username], ['user-session-a1', 'user-session-b2'])
  assert.notEqual(one!.id, two!.id)
  assert.equal(one!.name, two!.name)
})
