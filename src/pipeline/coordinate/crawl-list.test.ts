// Tests the do-not-crawl and allow lists: what an entry matches, and which list wins.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { CrawlList } from './crawl-list.ts'

const isDenied = (host: string, deny: string[], allow: string[] = [], path = '/'): boolean =>
  new CrawlList({ deny, allow }).refusalOf(host, `https://${host}${path}`) !== null

test('a host name on the do-not-crawl list matches the host on every port', () => {
  const denied = ['example.com']
  assert.deepEqual(
    ['example.com', 'example.com:8080', 'www.example.com', 'notexample.com'].map(host =>
      isDenied(host, denied),
    ),
    [true, true, false, false],
  )
})

test('a leading star matches the host and its subdomains, but no host that only has the same ending', () => {
  const denied = ['*.example.com']
  assert.deepEqual(
    ['example.com', 'a.b.example.com', 'badexample.com'].map(host => isDenied(host, denied)),
    [true, true, false],
  )
})

test('an entry with a port matches only that port', () => {
  const denied = ['example.com:8080']
  assert.deepEqual(
    ['example.com:8080', 'example.com'].map(host => isDenied(host, denied)),
    [true, false],
  )
})

test('entries match in any letter case, and with or without a trailing dot', () => {
  assert.equal(isDenied('example.com', ['Example.COM']), true)
  assert.equal(isDenied('example.com.', ['example.com']), true)
  assert.equal(isDenied('www.example.com', ['*.Example.com.']), true)
})

test('without a do-not-crawl list no host is denied', () => {
  assert.equal(isDenied('example.com', []), false)
})

test('a path on the do-not-crawl list matches all paths below it, but no other path with the same beginning', () => {
  const at = (path: string) => isDenied('example.com', ['example.com/private'], [], path)
  assert.deepEqual(['/private', '/private/a', '/private?a=1', '/privately', '/'].map(at), [
    true,
    true,
    true,
    false,
    false,
  ])
  assert.equal(new CrawlList({ deny: ['example.com/private'], allow: [] }).refusalOfHost('example.com'), null)
})

test('if there is an allow list, only its hosts are requested, and the do-not-crawl list still applies', () => {
  const allow = ['*.example.com', 'other.example/docs']
  assert.equal(isDenied('a.example.com', [], allow), false)
  assert.equal(isDenied('elsewhere.example', [], allow), true)
  assert.equal(isDenied('other.example', [], allow, '/docs/a'), false)
  assert.equal(isDenied('other.example', [], allow, '/shop'), true)
  assert.equal(isDenied('a.example.com', ['a.example.com'], allow), true)
})

test('a row without a URL is not refused; the pages that the row opens are checked instead', () => {
  assert.equal(new CrawlList({ deny: [], allow: ['a.example'] }).refusalOf('~my-scraper', ''), null)
})
