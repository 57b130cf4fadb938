// Tests which elements of a sitemap or feed count, and where parsing ends.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { parseSitemap } from './sitemaps.ts'

const locsOf = (body: string): string[] => parseSitemap(body).urls.map(({ loc }) => loc)

test('only direct child elements of a sitemap entry count', () => {
  const body =
    '<urlset><loc>https://a.example/outside</loc><url><x><loc>https://a.example/deeper</loc></x><loc>https://a.example/1</loc></url></urlset>'
  assert.deepEqual(locsOf(body), ['https://a.example/1'])
})

test('text after an element of an entry is not part of its value', () => {
  assert.deepEqual(locsOf('<urlset><url><loc>https://a.example/1</loc>noise<x/>noise</url></urlset>'), [
    'https://a.example/1',
  ])
})

test('the link of an Atom feed counts only inside an entry', () => {
  const body =
    '<feed><link href="https://a.example/feed"/><entry><source><link href="https://a.example/source"/></source><link href="https://a.example/1"/></entry></feed>'
  assert.deepEqual(locsOf(body), ['https://a.example/1'])
})

test('endlessly nested elements are cut off, and the content before them is kept', () => {
  const deep = '<x>'.repeat(10_000)
  const found = parseSitemap(`<urlset><url><loc>https://a.example/1</loc></url>${deep}`)
  assert.deepEqual(
    found.urls.map(({ loc }) => loc),
    ['https://a.example/1'],
  )
  assert.equal(found.truncated, true)
  assert.match(found.problems.join(), /nested more than/)
})

test('nothing is read from a file whose root is not a sitemap', () => {
  const found = parseSitemap('<html2><url><loc>https://a.example/1</loc></url></html2>')
  assert.deepEqual([found.urls, found.problems.length], [[], 1])
})

test('a broken sitemap reports a few errors, not all of them', () => {
  const body = `<urlset>${'<url><loc>https://a.example/1</loc></urk></url>'.repeat(50)}</urlset>`
  const { problems } = parseSitemap(body)
  assert.ok(problems.length > 0 && problems.length <= 20, String(problems.length))
})
