// Tests which links are found on a page, and which are not links.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { parseDocument } from './document/index.ts'
import { findLinks, refreshTarget } from './links.ts'

const page = 'https://site.example/dir/page'
const linksOf = (html: string) => findLinks(parseDocument(html), page)

test('anchors, areas, rel=next, rel=canonical and meta refresh are links; stylesheets are not', () => {
  const found =
    linksOf(`<link rel=stylesheet href=a.css><link rel="next" href="?p=2"><link rel=canonical href=/c>
    <meta http-equiv=Refresh content="5; URL='/later'"><a href="x?a=1&amp;b=2">x</a><map><area href=y></map>`)
  assert.deepEqual(found.hrefs, ['?p=2', '/c', '/later', 'x?a=1&b=2', 'y'])
  assert.equal(found.canonical, 'https://site.example/c')
  assert.equal(found.base, page)
})

test('invalid hrefs give no link and cause no error', () => {
  const found = linksOf(`<a href=" javascript:alert(1)"></a><a href="\n/x"></a><a href="#"></a><a href=""></a>
    <a href="mailto:x"></a><a>none</a><a href="TEL:1"></a>`)
  assert.deepEqual(found.hrefs, ['/x'])
})

test('links inside a template are not on the page', () => {
  assert.deepEqual(linksOf('<template><a href=/x></a></template><a href=/y></a>').hrefs, ['/y'])
})

test('the first base element applies, even if there are two', () => {
  const found = linksOf('<base target=_top><base href=/a/><base href=/b/><link rel=canonical href=c>')
  assert.equal(found.base, 'https://site.example/a/')
  assert.equal(found.canonical, 'https://site.example/a/c')
  assert.equal(linksOf('<base href="javascript:1">').base, page)
})

test('nofollow applies to single links, or to the whole page', () => {
  const found = linksOf('<a href=a rel="noopener NoFollow"></a><a href=b rel=noopener></a>')
  assert.deepEqual(found.nofollow, [true, false])
  assert.equal(found.pageNofollow, false)
  assert.equal(linksOf('<meta name=ROBOTS content="noindex, nofollow">').pageNofollow, true)
  assert.equal(linksOf('<meta name=robots content="none">').pageNofollow, true)
  assert.equal(linksOf('<meta name=robots content="noindex">').pageNofollow, false)
})

test('a meta refresh to another page is found in all its notations, and a plain reload is not a link', () => {
  assert.equal(refreshTarget('0;url=/a'), '/a')
  assert.equal(refreshTarget(' 3 ; URL = "/a b" '), '/a b')
  assert.equal(refreshTarget('0,/a'), '/a')
  assert.equal(refreshTarget('5'), null)
  assert.equal(refreshTarget('5;'), null)
})

test('a page with very many links gives at most a fixed number of links', () => {
  const found = linksOf('<a href=x>x</a>'.repeat(100_001))
  assert.equal(found.hrefs.length, 100_000)
  assert.equal(found.nofollow.length, 100_000)
})
