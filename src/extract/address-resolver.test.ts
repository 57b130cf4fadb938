// Tests that addresses in any form are resolved as the `URL` class does.
import assert from 'node:assert/strict'
import test from 'node:test'
import fc from 'fast-check'
import { AddressResolver } from './address-resolver.ts'

const bases = [
  'https://shop.example',
  'https://shop.example/a/b/c.html?x=1#y',
  'http://user:secret@shop.example:8080/a//b/',
  'https://bücher.example/ä/b',
  'file:///tmp/a',
  'no address',
]
const piece = fc.constantFrom(
  ...[
    'a',
    'b.html',
    '/',
    '//',
    '.',
    '..',
    '../',
    './',
    '?',
    '#',
    '%2e',
    '%',
    'x=1',
    '&',
    ':',
    'http:',
    'mailto:',
    '\\',
    "'",
    '"',
  ],
  ...['ä', ' ', '\t', '\n', '|', '^', '{', '~', '@', ';', '*', '日', '.x', '..x', 'x..', 'a.b.c', '-', '_'],
)

test('any relative address resolves as the URL class does', () => {
  const address = fc.array(piece, { maxLength: 7 }).map(pieces => pieces.join(''))
  fc.assert(
    fc.property(fc.constantFrom(...bases), address, (base, href) => {
      assert.equal(new AddressResolver(base).resolve(href), URL.parse(href.trim(), base)?.href ?? null)
    }),
    { numRuns: 5_000 },
  )
})

test('dot segments above the root stay at the root', () => {
  const resolver = new AddressResolver('https://docs.example/api/java/lang/Object.html')
  assert.equal(resolver.resolve('../../index.html'), 'https://docs.example/api/index.html')
  assert.equal(resolver.resolve('../../../../../x.html'), 'https://docs.example/x.html')
})
