// Tests which headers of a request are sent to which origin.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { type Headers, headersForAll, headersTo, isHarmless, isOfBody, setFor } from './header-origins.ts'

const secrets = { authorization: 'Bearer s', cookie: 'c=1', 'x-api-key': 'k', referer: 'https://a.example/r' }
const all = { ...secrets, 'accept-language': 'de', 'user-agent': 'mine', 'content-type': 'text/plain' }

test('the origin for which headers were set gets all of them', () => {
  const given = setFor('https://a.example/start', all)
  assert.deepEqual(headersTo('https://a.example:443/other?x=1', given), all)
})

test('another host, port or scheme gets only headers without secrets', () => {
  const given = setFor('https://a.example/', all)
  const others = [
    'https://b.example/',
    'https://www.a.example/',
    'https://a.example:8443/',
    'http://a.example/',
  ]
  for (const url of [...others, 'data:text/html,x', 'about:blank'])
    assert.deepEqual(headersTo(url, given), { 'accept-language': 'de', 'user-agent': 'mine' }, url)
})

test('a request with a body keeps the headers that describe the body', () => {
  const sent = headersTo('https://b.example/', setFor('https://a.example/', all), { hasBody: true })
  assert.equal(sent['content-type'], 'text/plain')
})

test('a request for robots.txt has only our identity headers, even at the origin for which headers were set', () => {
  const sent = headersTo('https://a.example/robots.txt', setFor('https://a.example/', all), {
    purpose: 'robots',
  })
  assert.deepEqual(sent, { 'user-agent': 'mine' })
})

test('an opaque origin never equals the origin for which headers were set', () => {
  assert.deepEqual(headersTo('data:text/html,y', setFor('data:text/html,x', secrets)), {})
})

const urls = fc
  .record({
    scheme: fc.constantFrom('http', 'https'),
    host: fc.constantFrom('a.example', 'b.example', 'www.a.example', '127.0.0.1', '[::1]'),
    port: fc.constantFrom('', ':80', ':443', ':8080'),
    path: fc.webPath(),
    user: fc.constantFrom('', 'me:pw@'),
  })
  .map(({ scheme, user, host, port, path }) => `${scheme}://${user}${host}${port}${path}`)
const names = fc.constantFrom(
  ...['authorization', 'cookie', 'x-api-key', 'x-anything', 'referer', 'if-none-match', 'origin'],
  ...['accept', 'accept-language', 'user-agent', 'from', 'dnt', 'content-type'],
)
const headers: fc.Arbitrary<Headers> = fc.dictionary(names, fc.string({ minLength: 1 }))

test('no header is ever added or changed, and another origin gets only headers without secrets', () => {
  fc.assert(
    fc.property(urls, urls, headers, fc.boolean(), (home, target, given, hasBody) => {
      const sent = headersTo(target, setFor(home, given), { hasBody })
      for (const [name, value] of Object.entries(sent)) assert.equal(value, given[name])
      if (new URL(home).origin === new URL(target).origin) return assert.deepEqual(sent, given)
      for (const name of Object.keys(sent))
        assert.ok(isHarmless(name) || (hasBody && isOfBody(name)), `${name} from ${home} to ${target}`)
    }),
    { numRuns: 500 },
  )
})

test('if any redirect of a chain left the origin, the last request has only headers without secrets', () => {
  fc.assert(
    fc.property(urls, fc.array(urls, { maxLength: 5 }), headers, (home, hops, given) => {
      let [at, sent] = [home, given]
      for (const hop of hops) [at, sent] = [hop, headersTo(hop, setFor(at, sent))]
      const hasLeft = hops.some(hop => new URL(hop).origin !== new URL(home).origin)
      assert.deepEqual(sent, hasLeft ? headersForAll(given) : given)
    }),
    { numRuns: 300 },
  )
})

test('robots.txt never gets headers that identify a user', () => {
  fc.assert(
    fc.property(urls, urls, headers, (home, target, given) => {
      const sent = headersTo(target, setFor(home, given), { purpose: 'robots' })
      for (const name of Object.keys(sent))
        assert.ok(['accept', 'accept-encoding', 'user-agent'].includes(name), name)
    }),
  )
})
