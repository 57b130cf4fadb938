// Tests robots.txt files as sites write them, against the rules of google/robotstxt and RFC 9309.
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { test } from 'node:test'
import { parseRobots, productTokenOf } from './index.ts'

const readVectors = (name: string) =>
  JSON.parse(readFileSync(new URL(`../../../test/vectors/${name}`, import.meta.url), 'utf8'))

interface GoogleCase {
  test: string
  robotstxt: string
  agent: string
  url: string
  allowed: boolean
}

const byTest = Map.groupBy(readVectors('robots-google.json').vectors as GoogleCase[], each => each.test)
for (const [title, cases] of byTest) {
  test(`google/robotstxt ${title}`, () => {
    for (const each of cases) {
      const rules = parseRobots(Buffer.from(each.robotstxt, 'latin1'), each.agent)
      assert.equal(rules.isAllowed(each.url).allowed, each.allowed, JSON.stringify(each))
    }
  })
}

const rulesOf = (...lines: string[]) => parseRobots(lines.join('\n'), 'kscrape')
const allowed = (body: string | Buffer, path: string): boolean =>
  parseRobots(body, 'kscrape').isAllowed(path).allowed

test('a decision has the deciding line of robots.txt, with its number', () => {
  const rules = rulesOf('User-agent: *', 'Disallow: /a', 'Allow: /a/b  # but this', 'Disallow: /straße')
  assert.deepEqual(rules.isAllowed('https://a.example/a/x'), {
    allowed: false,
    rule: 'Disallow: /a (line 2)',
  })
  assert.deepEqual(rules.isAllowed('/a/b'), { allowed: true, rule: 'Allow: /a/b (line 3)' })
  assert.deepEqual(rules.isAllowed('/stra%C3%9Fe'), { allowed: false, rule: 'Disallow: /straße (line 4)' })
  assert.deepEqual(rules.isAllowed('/c'), { allowed: true, rule: null })
})

test('all robots.txt groups that name our user agent apply, and no other group does', () => {
  const rules = rulesOf(
    'User-agent: *',
    'Disallow: /',
    'User-agent: KScrape/1.0',
    'Disallow: /a',
    'User-agent: other',
    'User-agent: kscrape',
    'Disallow: /b',
  )
  assert.deepEqual(
    ['/a', '/b', '/c'].map(path => rules.isAllowed(path).allowed),
    [false, false, true],
  )
})

test('the URL /robots.txt itself is always allowed', () => {
  assert.ok(allowed('User-agent: *\nDisallow: /', 'https://a.example/robots.txt'))
  assert.ok(!allowed('User-agent: *\nDisallow: /', 'https://a.example/robots.txt.bak'))
})

test('a path that is disallowed in one encoding is disallowed in every encoding', () => {
  const body = 'User-agent: *\nDisallow: /%7Ejoe/\nDisallow: /a%2fb\nDisallow: /ツ'
  for (const path of ['/~joe/x', '/%7ejoe/x', '/a%2Fb', '/a%2fb', '/%E3%83%84', '/ツ'])
    assert.ok(!allowed(body, path), path)
  assert.ok(allowed(body, '/a/b'))
})

test('robots.txt is parsed with the line ends, byte order marks and white space of every system', () => {
  const plain = 'User-agent: *\nDisallow: /a\nAllow: /b'
  const variants = [
    plain.replaceAll('\n', '\r\n'),
    plain.replaceAll('\n', '\r'),
    `\ufeff${plain}`,
    plain.replaceAll(': ', '\t:\t'),
    Buffer.from(`\ufeff${plain}`, 'utf16le'),
  ]
  for (const body of variants) assert.ok(!allowed(body, '/a'), JSON.stringify(body))
})

test('Crawl-delay may be a fraction, applies per agent, and is ignored if invalid', () => {
  const delayOf = (...lines: string[]) => rulesOf(...lines).crawlDelayMs
  assert.equal(delayOf('User-agent: *', 'Crawl-delay: 2.5'), 2_500)
  assert.equal(delayOf('User-agent: *', 'Crawl-delay: 10', 'User-agent: kscrape', 'Crawl-delay: 1'), 1_000)
  assert.equal(delayOf('User-agent: kscrape', 'Crawl-delay: 1', 'User-agent: *', 'Crawl-delay: 10'), 1_000)
  assert.equal(delayOf('User-agent: *', 'Crawl-delay: 10', 'User-agent: kscrape', 'Disallow: /'), null)
  assert.equal(delayOf('User-agent: *', 'Disallow: /a', 'Crawl-delay: 3'), 3_000)
  for (const value of ['soon', '-1', '1e9', '', '1 2', 'NaN'])
    assert.equal(delayOf('User-agent: *', `Crawl-delay: ${value}`), null)
})

test('if robots.txt has two crawl delays, the longer one applies, in either order', () => {
  for (const delays of [
    ['Crawl-delay: 10', 'Crawl-delay: 5'],
    ['Crawl-delay: 5', 'Crawl-delay: 10'],
  ])
    assert.equal(rulesOf('User-agent: *', ...delays).crawlDelayMs, 10_000)
})

test('an Allow rule with a star matches only as written; a Disallow rule with a star matches in every encoding', () => {
  const allowing = rulesOf('User-agent: *', 'Disallow: /', 'Allow: /%7Ejoe/*.html$')
  assert.equal(allowing.isAllowed('/~joe/a.html').allowed, false)
  assert.equal(allowing.isAllowed('/%7Ejoe/a.html').allowed, true)
  const forbidding = rulesOf('User-agent: *', 'Disallow: /%7Ejoe/*.html$')
  assert.equal(forbidding.isAllowed('/~joe/a.html').allowed, false)
})

test('a group that has only Crawl-delay lines does not merge with the next group', () => {
  const rules = rulesOf('User-agent: *', 'Crawl-delay: 10', '', 'User-agent: BadBot', 'Disallow: /')
  assert.deepEqual(rules.isAllowed('/'), { allowed: true, rule: null })
  assert.equal(rules.crawlDelayMs, 10_000)
  const named = rulesOf('User-agent: kscrape', 'Crawl-delay: 1', 'User-agent: *', 'Disallow: /')
  assert.ok(named.isAllowed('/').allowed)
})

test('sitemap lines and unknown lines do not end a list of user agents in robots.txt', () => {
  for (const line of ['Sitemap: https://a.example/1.xml', 'Clean-param: ref', 'Noindex: /x'])
    assert.ok(
      !rulesOf('User-agent: kscrape', line, 'User-agent: other', 'Disallow: /').isAllowed('/').allowed,
    )
})

test('sitemaps are collected from anywhere in the file', () => {
  const { sitemaps } = rulesOf(
    'Sitemap: https://a.example/1.xml',
    'User-agent: other',
    'site-map: /2.xml',
    'Sitemap:',
    'SITEMAP: https://a.example/é.xml',
  )
  assert.deepEqual(sitemaps, ['https://a.example/1.xml', '/2.xml', 'https://a.example/é.xml'])
})

test('only the first 512,000 bytes of robots.txt are parsed, without a partial line', () => {
  const filler = `#${'x'.repeat(510_000)}\n`
  assert.ok(!allowed(`${filler}User-agent: *\nDisallow: /a`, '/a'))
  const cutAt = (rule: string) =>
    `User-agent: *\nDisallow: /\n#${'x'.repeat(512_000 - 28 - 'Allow: /'.length)}\n${rule}`
  assert.ok(!allowed(cutAt('Allow: /only-this'), '/a'))
})

test('an overlong line of robots.txt is cut, and causes no error', () => {
  const long = `Disallow: /${'a'.repeat(20_000)}`
  assert.ok(!allowed(`User-agent: *\n${long}\nDisallow: /b`, '/b'))
  assert.ok(!allowed(`User-agent: *\n${long}`, `/${'a'.repeat(16_664)}`))
})

test('the product token of a user agent is the name that robots.txt can use for it', () => {
  const tokens: Array<[string, string]> = [
    ['kscrape/0.1 (+https://example.com/bot)', 'kscrape'],
    ['Mozilla/5.0 (compatible; kscrape/0.1; +https://example.com/bot)', 'kscrape'],
    ['Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36', 'Mozilla'],
    ['My_Own-bot', 'My_Own-bot'],
    ['MJ12bot/1.4', 'MJ'],
    ['', ''],
  ]
  for (const [userAgent, token] of tokens) assert.equal(productTokenOf(userAgent), token)
})

test('a user agent without a product token uses the group for all agents', () => {
  const rules = parseRobots('User-agent: /\nDisallow: /a\nUser-agent: *\nDisallow: /b', '')
  assert.deepEqual(
    ['/a', '/b'].map(path => rules.isAllowed(path).allowed),
    [true, false],
  )
})

const bad = new Map<string, Buffer>(
  readVectors('bad-inputs/robots.json').files.map((file: { id: string; body_base64: string }) => [
    file.id,
    Buffer.from(file.body_base64, 'base64'),
  ]),
)

test('bad robots rob-002: a web page instead of the file disallows nothing', () => {
  assert.ok(allowed(bad.get('rob-002')!, '/'))
})

test('bad robots rob-003: a rule after a byte order mark applies', () => {
  assert.ok(!allowed(bad.get('rob-003')!, '/a'))
})

test('bad robots rob-009 and rob-011: a delay of a day is accepted, one in words is ignored', () => {
  assert.equal(parseRobots(bad.get('rob-009')!, 'kscrape').crawlDelayMs, 86_400_000)
  assert.equal(parseRobots(bad.get('rob-011')!, 'kscrape').crawlDelayMs, null)
})

test('bad robots rob-013: a rule with thousands of stars is matched in one pass', () => {
  const rules = parseRobots(bad.get('rob-013')!, 'kscrape')
  assert.ok(rules.isAllowed(`/${'a'.repeat(500)}b`).allowed)
  assert.ok(!rules.isAllowed(`/${'a'.repeat(10_000)}`).allowed)
})

test('bad robots rob-018 and rob-019: private and relative sitemap URLs are returned here and refused later, when they are fetched', () => {
  assert.deepEqual(parseRobots(bad.get('rob-018')!, 'kscrape').sitemaps, ['http://169.254.169.254/'])
  assert.deepEqual(parseRobots(bad.get('rob-019')!, 'kscrape').sitemaps, ['/s.xml'])
})
