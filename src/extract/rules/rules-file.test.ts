// Tests which rules files are accepted, and how errors are reported.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Failure } from '../../model/failures.ts'
import { parseRulesFile } from './rules-file.ts'

test('the short form of rules in the README is accepted', () => {
  const text =
    'fields: { name: h1, price: { css: .price, as: money }, sku: { jsonld: Product.sku }, tags: { css: .tag, many: true } }'
  assert.deepEqual(parseRulesFile(text, 'rules.yaml'), {
    fields: {
      name: 'h1',
      price: { css: '.price', as: 'money' },
      sku: { jsonld: 'Product.sku' },
      tags: { css: '.tag', many: true },
    },
  })
})

test('rules in JSON are accepted too, including tabs', () => {
  const rules = { each: 'li', fields: { name: { css: 'b' } } }
  assert.deepEqual(parseRulesFile(JSON.stringify(rules, null, '\t'), 'rules.json'), rules)
})

const refused: Array<[what: string, text: string, place: string, message: RegExp]> = [
  [
    'a misspelt key',
    'fields:\n  price:\n    css: .p\n    mnay: true\n',
    '4:5',
    /unknown key \(did you mean "many"\?\)/,
  ],
  ['a key of another tool', 'fields:\n  price: { selector: .p }\n', '2:12', /did you mean "css"/],
  [
    'an unknown type',
    'fields:\n  price: { css: .p, as: mony }\n',
    '2:25',
    /"mony" is not a type.*did you mean "money"/,
  ],
  ['a broken selector', 'fields:\n  name: h1\n  price:\n    css: "a[href"\n', '4:10', /fields\.price\.css/],
  [
    'an unquoted id selector, which YAML reads as a comment,',
    'fields:\n  price: #price\n',
    '2:10',
    /needs quotes/,
  ],
  [
    'an unquoted attribute selector, which YAML reads as a list,',
    'fields:\n  price: [itemprop=price]\n',
    '2:10',
    /needs quotes/,
  ],
  ['a file with fields at the top level', 'name: h1\n', '1:1', /fields/],
  ['a duplicate key', 'fields:\n  a: b\n  a: c\n', '3:3', /unique/],
  ['broken YAML', 'fields:\n  a: "b\n', '3:1', /"/],
  ['an empty file', '', '1:1', /nothing is not an object/],
  ['a list of fields', 'fields:\n  - h1\n', '2:3', /is not a/],
  ['an invalid field name', 'fields:\n  "a b": h1\n', '2:3', /field name/],
  [
    'a broken selector in nested fields',
    'fields:\n  o:\n    fields:\n      a: { css: "##" }\n',
    '4:17',
    /fields\.o\.fields\.a\.css/,
  ],
]
for (const [what, text, place, message] of refused) {
  test(`${what} is refused with its line and column`, () => {
    assert.throws(
      () => parseRulesFile(text, 'rules.yaml'),
      (error: Failure) => {
        assert.ok(error instanceof Failure, String(error))
        assert.equal(error.code, 'input.invalid')
        assert.match(error.message, message)
        assert.ok(error.message.startsWith(`rules.yaml:${place}: `), error.message)
        return true
      },
    )
  })
}

test('every problem of a file is reported at once, each with its line and column', () => {
  const text = [
    'each: .card',
    'fields:',
    '  title:',
    '    selectr: h2',
    '  price: { css: .p, as: monie }',
    '  link: { css: "a[", as: url }',
    '  image: "//img["',
    '  name: h2',
    'nxt: .next',
  ].join('\n')
  assert.throws(
    () => parseRulesFile(text, 'rules.yaml'),
    (error: Failure) => {
      const places = error.message.split('\n').map(line => /^rules\.yaml:(\d+:\d+): /.exec(line)?.[1])
      assert.deepEqual(places, ['4:5', '5:25', '6:16', '7:10', '9:1'], error.message)
      const { problems } = error.details as { problems: Array<{ line: number; path: string }> }
      assert.deepEqual(
        problems.map(({ line, path }) => [line, path]),
        [
          [4, 'fields.title.selectr'],
          [5, 'fields.price.as'],
          [6, 'fields.link.css'],
          [7, 'fields.image'],
          [9, 'nxt'],
        ],
      )
      return true
    },
  )
})

test('if the schema accepts the rules, every broken selector in them is reported', () => {
  assert.throws(
    () => parseRulesFile('fields:\n  a: "b["\n  c: p\n  d: "e["\n', 'r.yaml'),
    /r\.yaml:2:.*\nr\.yaml:4:/s,
  )
})

test('for a file with very many problems, the error shows the first twenty', () => {
  const textWith = (length: number) =>
    `fields:\n${Array.from({ length }, (_, i) => `  f${i}: { selectr: h1 }`).join('\n')}\n`
  assert.throws(() => parseRulesFile(textWith(30), 'r.yaml'), /(.*\n){20}and \d+ more problems$/)
  assert.throws(() => parseRulesFile(textWith(21), 'r.yaml'), /(.*\n){20}and 1 more problem$/)
})

test('a file whose aliases would expand endlessly is refused', () => {
  const layers = Array.from(
    { length: 30 },
    (_, i) => `a${i}: &a${i} [${i === 0 ? 'x' : `*a${i - 1}, *a${i - 1}`}]`,
  )
  assert.throws(() => parseRulesFile(layers.join('\n'), 'bomb.yaml'), Failure)
})
