// Tests which URLs a glob matches.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { compileGlob } from './globs.ts'

const matches = (glob: string, url: string): boolean => compileGlob(glob).matches(url)

function check(glob: string, yes: string[], no: string[]): void {
  for (const url of yes) assert.ok(matches(glob, url), `${glob} should match ${url}`)
  for (const url of no) assert.ok(!matches(glob, url), `${glob} should not match ${url}`)
}

test('a folder glob matches the folder, its content, and URLs with a query', () => {
  const yes = [
    'https://a.example/cal',
    'https://a.example/cal/',
    'https://a.example/x/cal/2026/1',
    'https://a.example/cal?m=2',
  ]
  check('**/cal/**', yes, ['https://a.example/calendar', 'https://a.example/recal/x', 'https://a.example/'])
  check(
    '/cal/**',
    yes.filter(url => !url.includes('/x/')),
    ['https://a.example/x/cal/2026/1'],
  )
})

test('one star matches within a path segment, and two stars match across segments', () => {
  check('/blog/*', ['https://a.example/blog/x', 'https://a.example/blog/'], ['https://a.example/blog/x/y'])
  check(
    '/a/**/z',
    ['https://a.example/a/z', 'https://a.example/a/b/c/z'],
    ['https://a.example/a/bz', 'https://a.example/az'],
  )
  check('/**', ['https://a.example/', 'https://a.example/a/b'], [])
})

test('a question mark matches one character, and braces list choices', () => {
  check(
    '/p?',
    ['https://a.example/p1'],
    ['https://a.example/p', 'https://a.example/p12', 'https://a.example/p/'],
  )
  check(
    '/{blog,news/{a,b}}/*',
    ['https://a.example/blog/1', 'https://a.example/news/b/1'],
    ['https://a.example/news/1'],
  )
  check('/a{b', ['https://a.example/a{b'], ['https://a.example/ab'])
})

test('a glob without a slash matches the last segment, and a glob without a scheme matches from the host', () => {
  check(
    '*.pdf',
    ['https://a.example/x/y.pdf', 'https://a.example/y.pdf?v=1'],
    ['https://a.example/pdf', 'https://a.example/x.pdf/y'],
  )
  check('a.example/x/**', ['https://a.example/x/1', 'http://a.example/x'], ['https://b.a.example/x/1'])
  check('*.example/x', ['https://a.example/x', 'https://b.a.example/x'], ['https://a.example/y/b.example/x'])
  check('https://a.example/*', ['https://a.example/x'], ['http://a.example/x', 'https://a.example/x/y'])
})

test('a glob can match the query, and a backslash escapes a character', () => {
  check('**\\?page=*', ['https://a.example/x?page=2'], ['https://a.example/xpage=2', 'https://a.example/x'])
  check('/a\\*b', ['https://a.example/a*b'], ['https://a.example/axb'])
})

test('letters beyond ASCII in a glob match their percent-encoded form', () => {
  check('/straße/*', ['https://a.example/stra%C3%9Fe/1'], ['https://a.example/strasse/1'])
  check('/😀', ['https://a.example/%F0%9F%98%80'], [])
})

test('a glob that is designed to be slow is matched quickly', () => {
  const url = `https://a.example/${'a'.repeat(8_000)}`
  assert.ok(!matches(`/${'*a'.repeat(30)}*b`, url))
  assert.ok(!matches(`/${'**a'.repeat(30)}**/b`, url))
})

test('a star at the start may match an empty text', () => {
  check('*https://a.example/x', ['https://a.example/x'], ['https://a.example/y'])
})
