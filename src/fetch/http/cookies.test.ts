// Tests the cookie jar and cookie files.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { CookieJar, parseCookieFile } from './cookies.ts'

const jarAfter = (url: string, ...cookies: string[]) => {
  const jar = new CookieJar()
  jar.keep(
    new URL(url),
    cookies.map(cookie => ['set-cookie', cookie] as const),
  )
  return jar
}
const sent = (jar: CookieJar, url: string) => jar.headerFor(new URL(url))

test('a cookie is sent to the host that set it, and with the attribute Domain also to sibling hosts', () => {
  const jar = jarAfter('https://www.example.com/', 'own=1', 'shared=2; Domain=example.com')
  assert.equal(sent(jar, 'https://www.example.com/x'), 'own=1; shared=2')
  assert.equal(sent(jar, 'https://shop.example.com/'), 'shared=2')
  assert.equal(sent(jar, 'https://example.org/'), '')
})

test('a cookie for a public suffix or a foreign domain is not stored', () => {
  const jar = jarAfter('https://a.co.uk/', 'x=1; Domain=co.uk', 'y=2; Domain=example.com', 'z=3; Domain=uk')
  assert.equal(sent(jar, 'https://a.co.uk/'), '')
  assert.equal(sent(jar, 'https://b.co.uk/'), '')
  assert.equal(sent(jar, 'https://example.com/'), '')
})

test('the attributes Path, Secure and Max-Age of cookies apply', () => {
  const jar = jarAfter('https://example.com/', 'a=1; Path=/shop', 'b=2; Secure', 'c=3; Max-Age=0')
  assert.equal(sent(jar, 'https://example.com/shop/x'), 'a=1; b=2')
  assert.equal(sent(jar, 'http://example.com/'), '')
})

test('invalid cookies never break the page', () => {
  const jar = jarAfter(
    'http://127.0.0.1:8080/',
    '',
    ';;;',
    '=',
    'good=1',
    `big=${'x'.repeat(5_000)}`,
    'a=\x00',
  )
  assert.match(sent(jar, 'http://127.0.0.1:8080/'), /good=1/)
  assert.doesNotMatch(sent(jar, 'http://127.0.0.1:8080/'), /big=/)
})

test('a cookie jar is unchanged after it is serialized and parsed', () => {
  const jar = jarAfter(
    'https://www.example.com/',
    'own=1; HttpOnly',
    'shared=2; Domain=example.com; Secure; Path=/a; Expires=Fri, 01 Jan 2100 00:00:00 GMT',
  )
  const again = CookieJar.from(JSON.parse(JSON.stringify(jar)))
  assert.deepEqual(again.toJSON(), jar.toJSON())
  for (const url of [
    'https://www.example.com/a/b',
    'https://x.example.com/a/',
    'http://www.example.com/a/',
  ]) {
    assert.equal(sent(again, url), sent(jar, url))
  }
})

test('a serialized jar stores when each cookie expires, and omits deleted cookies', () => {
  const jar = jarAfter('https://example.com/', 'long=1; Max-Age=3600', 'short=2', 'login=3')
  jar.keep(new URL('https://example.com/'), [['set-cookie', 'login=; Max-Age=0']])
  const [long, short, ...others] = jar.toJSON()
  assert.ok(long?.expires && Math.abs(long.expires - Date.now() / 1_000 - 3_600) < 60)
  assert.equal(short?.expires, null)
  assert.deepEqual(others, [])
})

test('a Netscape cookies.txt is read, including comments and HttpOnly lines', () => {
  const text = [
    '# Netscape HTTP Cookie File',
    '',
    '.example.com\tTRUE\t/\tTRUE\t4102444800\tsession\tabc',
    '#HttpOnly_shop.example.com\tFALSE\t/cart\tFALSE\t0\tcart\t1=2',
  ].join('\r\n')
  const jar = CookieJar.from(parseCookieFile(text))
  assert.equal(sent(jar, 'https://shop.example.com/cart'), 'cart=1=2; session=abc')
  assert.equal(sent(jar, 'http://shop.example.com/'), '')
  assert.equal(sent(jar, 'https://www.example.com/'), 'session=abc')
})

test('JSON cookies are read in the formats of browser extensions and Playwright', () => {
  const cookie = { name: 'id', value: '7', domain: '.example.com', path: '/', secure: false, httpOnly: true }
  for (const file of [
    [{ ...cookie, expirationDate: 4102444800.5 }],
    { cookies: [{ ...cookie, expires: -1 }] },
  ]) {
    const jar = CookieJar.from(parseCookieFile(JSON.stringify(file)))
    assert.equal(sent(jar, 'http://www.example.com/'), 'id=7')
  }
})

test('the error about a cookie file names the position of the error', () => {
  assert.throws(() => parseCookieFile('# ok\nexample.com TRUE / FALSE 0 a b'), /Line 2/)
  assert.throws(() => parseCookieFile('[{"name":"a"}]'), /Cookie 1/)
  assert.throws(() => parseCookieFile('{"a":'), /not JSON/)
  assert.throws(() => parseCookieFile('{"a":1}'), /"cookies"/)
  assert.throws(
    () => CookieJar.from(parseCookieFile('.co.uk\tTRUE\t/\tFALSE\t0\ta\tb')),
    /"a" for "co.uk" cannot be set/,
  )
})
