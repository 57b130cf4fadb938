// Tests that pages that attack the parser are parsed within limits and give a usable document.
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import test from 'node:test'
import { compileSelector, type FlatDocument, parseDocument, selectAll } from './index.ts'

const vectors = join(import.meta.dirname, '../../../test/vectors/bad-inputs/html.json')
const { cases } = JSON.parse(readFileSync(vectors, 'utf8')) as {
  cases: Array<{ name: string; body: string }>
}

for (const { name, body } of cases) {
  test(`all parsers parse a page with ${name}`, () => {
    for (const parser of ['auto', 'flat', 'spec'] as const) {
      const document = parseDocument(body, { parser })
      assert.equal(selectAll(document, compileSelector('html > body')).length, 1)
      assert.equal(typeof document.text(0), 'string')
    }
  })
}

function depthOf(document: FlatDocument): number {
  const depths = [0]
  for (let node = 1; node < document.size; node++) depths[node] = depths[document.parent(node)]! + 1
  return depths.reduce((deepest, depth) => Math.max(deepest, depth), 0)
}

for (const unit of [
  '<div>',
  '<b>',
  '<table><tr><td>',
  '<ul><li>',
  '<p><button>',
  '<svg><g>',
  '<select>',
  '<a href=x>',
]) {
  test(`a page that nests ${unit} hundreds of thousands of times has a bounded depth`, () => {
    const document = parseDocument(unit.repeat(300_000 / unit.split('<').length))
    assert.ok(depthOf(document) <= 513)
    assert.equal(typeof document.outerHtml(0), 'string')
  })
}

test('a small page whose document would grow without end is cut at a limit', () => {
  const formatting = Array.from({ length: 400 }, (_, index) => `<b id=${index}>`).join('')
  const page = `<p>${formatting}${'<p>x'.repeat(20_000)}`
  const document = parseDocument(page)
  assert.equal(document.parser, 'flat')
  assert.equal(document.fallbackReason, 'formatting that multiplies the page')
  assert.equal(selectAll(document, compileSelector('p')).length, 20_001)
  assert.throws(() => parseDocument(page, { parser: 'spec' }), { code: 'extract.too-slow' })
})

for (const [name, page] of [
  ['plain text', 'x'.repeat(5_000_000)],
  ['signs < that begin no tag', '<'.repeat(2_000_000)],
  ['comments that are never closed', '<!--'.repeat(500_000)],
  ['attributes that are never closed', '<a href="'.repeat(500_000)],
  ['end tags without a start tag', 'a</x>'.repeat(500_000)],
  ['scripts', '<script>x</script>'.repeat(200_000)],
  [
    'unknown element names',
    Array.from({ length: 100_000 }, (_, index) => `<x-${index}></x-${index}>`).join(''),
  ],
  ['attributes', `<a ${Array.from({ length: 200_000 }, (_, index) => `x${index}=1`).join(' ')}>y</a>`],
] as const) {
  test(`the fast parser parses millions of characters of ${name}`, () => {
    const document = parseDocument(page)
    assert.equal(document.fallbackReason, null)
    assert.equal(typeof document.text(0), 'string')
  })
}

test('a page of several megabytes is not given to parse5, even if the fast parser cannot parse it with certainty', () => {
  const document = parseDocument(`<frameset>${'<div>x</div>'.repeat(400_000)}`)
  assert.equal(document.parser, 'flat')
  assert.equal(document.fallbackReason, 'frameset')
  assert.equal(selectAll(document, compileSelector('div')).length, 400_000)
})
