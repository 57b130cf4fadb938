// Compares CSS selectors on our documents with css-select on parse5's tree: the same elements in the same order.
import assert from 'node:assert/strict'
import test from 'node:test'
import { load } from 'cheerio'
import fc from 'fast-check'
import { compileSelector, parseDocument, selectAll, selectFirst } from '../../src/extract/document/index.ts'
import { brokenPage, soundPage } from './document-pages.ts'

/** Each element is identified by its number in document order. */
function ours(page: string, selectors: string[]): number[][] {
  const document = parseDocument(page)
  const ordinals = new Map<number, number>()
  for (let node = 0; node < document.size; node++)
    if (document.isElement(node)) ordinals.set(node, ordinals.size)
  return selectors.map(css => selectAll(document, compileSelector(css)).map(node => ordinals.get(node)!))
}

/** css-select treats `link` elements as links. In HTML only `a` and `area` are links. */
const asHtmlSays = (css: string): string => css.replaceAll(':any-link', ':is(a, area)[href]')

function theirs(page: string, selectors: string[]): number[][] {
  const $ = load(page, { scriptingEnabled: false })
  const ordinals = new Map(
    $('*')
      .toArray()
      .map((element, index) => [element, index]),
  )
  return selectors.map(css =>
    $(asHtmlSays(css))
      .toArray()
      .map(element => ordinals.get(element)!),
  )
}

/** Replaces template elements: cheerio stores their content apart from its tree, so it would count the elements differently. */
const withoutTemplates = (page: string): string => page.replaceAll('template', 'section')

const everyday = [
  ...[
    'a[href]',
    'a',
    'title',
    'p',
    'li',
    'td',
    'tr > td',
    'ul li',
    'ul > li',
    'table tr td a',
    'form input',
    'x-badge',
  ],
  ...[
    '.amber',
    '.river.stone',
    'p.candle',
    '[id]',
    '[class~=valley]',
    'a[href^="/item"]',
    'a[href*="page"]',
    'a[href$=up]',
  ],
  ...[
    '[data-id="7"]',
    '[title="a & b"]',
    '[lang|=en]',
    'meta[name=description]',
    'link[rel=CANONICAL]',
    'div p a',
  ],
  ...[
    'div > p > a',
    'h1 + p',
    'p ~ ul',
    'dt + dd',
    'body > *',
    'section article p',
    'head > title',
    'svg path',
    'option',
  ],
  ...[
    'li:first-child',
    'li:last-child',
    'td:nth-child(2)',
    'p:nth-of-type(odd)',
    'tr:nth-last-child(-n+2)',
    ':root > body',
  ],
  ...[
    'p:not(.amber)',
    'div:has(> p)',
    'ul:has(a[href])',
    ':is(ul, ol) > li',
    'a:only-child',
    'td:empty',
    'input:checked',
  ],
  ...[
    'p:contains("river")',
    'li:has(+ li)',
    'h2, h3, h1',
    'button:disabled',
    ':not(p):not(a) > span',
    'span:only-of-type',
  ],
]

test('common selectors find what css-select finds, on 200 valid pages', () => {
  for (let seed = 0; seed < 200; seed++) {
    const page = soundPage(seed)
    assert.deepEqual(ours(page, everyday), theirs(page, everyday), `seed ${seed}`)
  }
})

test('common selectors find what css-select finds, on 100 broken pages', () => {
  for (let seed = 1_000; seed < 1_100; seed++) {
    const page = withoutTemplates(brokenPage(seed))
    assert.deepEqual(ours(page, everyday), theirs(page, everyday), `seed ${seed}`)
  }
})

const name = fc.constantFrom(
  '*',
  'a',
  'p',
  'div',
  'li',
  'ul',
  'td',
  'tr',
  'span',
  'section',
  'b',
  'h2',
  'body',
  'x-badge',
)
const condition = fc.constantFrom(
  ...[
    '',
    '',
    '',
    '.amber',
    '.stone',
    '#river-7',
    '[id]',
    '[class]',
    '[href]',
    '[href^="?"]',
    '[data-kind]',
    '[class*=e]',
  ],
  ...[
    ':first-child',
    ':last-child',
    ':nth-child(2n+1)',
    ':nth-last-of-type(2)',
    ':only-child',
    ':empty',
    ':not(.amber)',
  ],
  ...[
    ':has(a)',
    ':has(> b)',
    ':is(p, li, td)',
    ':not(:has(*))',
    ':where([id], [class])',
    ':contains("stone")',
    ':any-link',
  ],
)
const combinator = fc.constantFrom(' ', ' ', ' > ', ' + ', ' ~ ')
const compound = fc.tuple(name, condition, condition).map(parts => parts.join(''))
const complex = fc
  .tuple(compound, fc.array(fc.tuple(combinator, compound), { maxLength: 4, size: 'max' }))
  .map(([first, rest]) => first + rest.map(([by, next]) => by + next).join(''))
const selector = fc.array(complex, { minLength: 1, maxLength: 3 }).map(list => list.join(', '))

test('any combination of selector parts finds what css-select finds', () => {
  fc.assert(
    fc.property(
      fc.array(selector, { minLength: 5, maxLength: 12, size: 'max' }),
      fc.nat({ max: 40 }),
      (selectors, seed) => {
        const page = soundPage(seed)
        assert.deepEqual(ours(page, selectors), theirs(page, selectors))
      },
    ),
    { numRuns: 150 },
  )
})

test('selecting only the first match gives the first of all matches, in any part of the page', () => {
  fc.assert(
    fc.property(selector, fc.nat({ max: 40 }), fc.nat({ max: 300 }), (css, seed, place) => {
      const document = parseDocument(soundPage(seed))
      const from = place % document.size
      const compiled = compileSelector(css)
      const all = selectAll(document, compiled, from)
      assert.equal(selectFirst(document, compiled, from), all[0] ?? -1)
      assert.deepEqual(
        all,
        selectAll(document, compiled).filter(node => node > from && node < document.end(from)),
      )
    }),
    { numRuns: 300 },
  )
})

test(':nth-child(… of …) counts only the matching siblings', () => {
  const parts = fc.record({
    inner: selector,
    step: fc.integer({ min: -3, max: 3 }),
    offset: fc.integer({ min: -3, max: 5 }),
    fromEnd: fc.boolean(),
    seed: fc.nat({ max: 40 }),
  })
  fc.assert(
    fc.property(parts, ({ inner, step, offset, fromEnd, seed }) => {
      const document = parseDocument(soundPage(seed))
      const matching = selectAll(document, compileSelector(inner))
      const byParent = Map.groupBy(matching, node => document.parent(node))
      const isPicked = (place: number) =>
        step === 0
          ? place === offset
          : (place - offset) / step >= 0 && Number.isInteger((place - offset) / step)
      const expected = [...byParent.values()].flatMap(siblings => {
        const counted = fromEnd ? siblings.toReversed() : siblings
        return counted.filter((_, index) => isPicked(index + 1))
      })
      const sign = offset < 0 ? '-' : '+'
      const css = `:nth-${fromEnd ? 'last-' : ''}child(${step}n ${sign} ${Math.abs(offset)} of ${inner})`
      assert.deepEqual(
        selectAll(document, compileSelector(css)),
        expected.sort((first, second) => first - second),
      )
    }),
    { numRuns: 200 },
  )
})
