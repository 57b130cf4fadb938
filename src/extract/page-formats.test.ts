// Tests that each page, even a hostile one, can be converted to every format.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import html from '../../test/vectors/bad-inputs/html.json' with { type: 'json' }
import { defaultRecord } from './default-record.ts'
import { parseDocument } from './document/index.ts'
import { readTextual, textRecords } from './formats/text.ts'
import { formatPage, pageFormats } from './page-formats.ts'

const page = { url: 'https://a.example/', finalUrl: 'https://a.example/dir/', status: 200, fetchedAt: 0 }
const source = `<title>T</title><nav><a href=/n>Nav</a></nav><main><h1>Head</h1><p>${'Some words. '.repeat(12)}<a href="x#y">x</a> <a href=x>again</a></main>`
const document = parseDocument(source)

test('markdown and text cover the main content, or the whole page on request', () => {
  assert.match(formatPage(document, page, 'markdown'), /^# Head\n\nSome words/)
  assert.match(
    formatPage(document, page, 'markdown', { full: true }),
    /^\[Nav\]\(https:\/\/a\.example\/n\)\n\n# Head/,
  )
  assert.match(formatPage(document, page, 'text'), /^Head\nSome words/)
  assert.match(formatPage(document, page, 'text', { full: true }), /^Nav\nHead/)
})

test('the links format has absolute links, each once, one per line', () => {
  assert.equal(formatPage(document, page, 'links'), 'https://a.example/n\nhttps://a.example/dir/x\n')
})

test('the format html is the page as received, and the format json is its record', () => {
  assert.equal(formatPage(document, page, 'html'), `${source}\n`)
  assert.equal(JSON.parse(formatPage(document, page, 'json')).title, 'T')
})

test('the default record has its fields in a fixed order, for pages and for plain text', () => {
  const names = [
    ...[
      'url',
      'final_url',
      'status',
      'title',
      'page_kind',
      'canonical',
      'description',
      'language',
      'headings',
      'text',
      'markdown',
    ],
    ...['links', 'structured_data', 'fetched_at'],
  ]
  assert.deepEqual(Object.keys(defaultRecord(document, page).data), names)
  const [plain] = textRecords(page, readTextual('text/plain', '{"a":\x1b[31m1}'), text => text)
  assert.deepEqual(
    Object.keys(plain!.data).filter(name => name !== 'content_type'),
    names,
  )
  assert.equal(plain!.data.text, '{"a":1}')
})

for (const { id, name, body } of html.cases) {
  test(`${id}, ${name}: the page can be converted to every format, and only html may contain control characters`, () => {
    const parsed = parseDocument(body)
    for (const format of pageFormats.filter(format => format !== 'html')) {
      assert.doesNotMatch(formatPage(parsed, page, format), /[\0-\x08\x0b-\x1f\x7f-\x9f]/)
    }
  })
}

test('pages with deep nesting, endless spans or a huge table can be converted to every format', () => {
  const shapes = [
    '<div>'.repeat(20_000),
    '<blockquote><ul><li>'.repeat(5_000),
    '<b><i>x'.repeat(5_000),
    `<p>${'<b>x</b> <br>'.repeat(20_000)}`,
    `<table>${`<tr>${'<td colspan=9999>x'.repeat(5)}`.repeat(50)}</table>`,
    '<table><tr><td>'.repeat(2_000),
    '<h1>'.repeat(5_000),
  ]
  for (const shape of shapes) {
    const parsed = parseDocument(shape)
    assert.equal(typeof formatPage(parsed, page, 'markdown', { full: true }), 'string')
    assert.equal(typeof formatPage(parsed, page, 'json'), 'string')
  }
})

test('any mix of tags can be converted to every format, with the same result each time', () => {
  const names =
    'a p div ul li table tr td th pre code h1 h2 b i blockquote nav main article img br script svg dl dt'
  const piece = fc.oneof(
    fc.constantFrom(
      ...names.split(' ').flatMap(name => [`<${name}>`, `</${name}>`, `<${name} href=x class=nav>`]),
    ),
    fc.constantFrom('text ', '&amp;', '&#27;', '*', '`', '_', '\n', '<!--', '-->', '|', '# ', '1. '),
  )
  fc.assert(
    fc.property(fc.array(piece, { maxLength: 60 }), pieces => {
      const parsed = parseDocument(pieces.join(''))
      for (const format of pageFormats.filter(format => format !== 'html')) {
        const once = formatPage(parsed, page, format)
        assert.equal(formatPage(parsed, page, format), once)
        assert.doesNotMatch(once, /[\0-\x08\x0b-\x1f\x7f-\x9f]/)
      }
    }),
  )
})
