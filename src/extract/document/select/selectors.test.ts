// Tests which CSS selectors are supported, which are refused, and that hostile selectors end in time.
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import test from 'node:test'
import {
  compileSelector,
  compileXPath,
  evaluateXPath,
  matches,
  parseDocument,
  selectAll,
  selectFirst,
} from '../index.ts'

const vectors = join(import.meta.dirname, '../../../../test/vectors/bad-inputs/selectors.json')
const { invalid, valid, slow } = JSON.parse(readFileSync(vectors, 'utf8')) as {
  invalid: string[]
  valid: string[]
  slow: Array<{ selector: string; why: string }>
}

const isXPath = (selector: string): boolean => /^(\/|count\()/.test(selector)

for (const selector of invalid) {
  test(`the selector ${JSON.stringify(selector)} is refused, and the error has the position`, () => {
    const refusal = { code: 'input.invalid', message: /at character \d+: / }
    if (!isXPath(selector)) assert.throws(() => compileSelector(selector), refusal)
    if (isXPath(selector) || selector.includes('$')) assert.throws(() => compileXPath(selector), refusal)
  })
}

for (const selector of valid) {
  test(`the selector ${JSON.stringify(selector)} is valid`, () => {
    assert.equal((isXPath(selector) ? compileXPath : compileSelector)(selector).source, selector)
  })
}

test('a hostile selector on a page of five megabytes returns a result or fails as too slow', () => {
  const page = parseDocument(`<body>${'<div class="a b"><p>x <a href=/1>y</a></p></div>'.repeat(100_000)}`)
  for (const { selector } of slow) {
    try {
      if (isXPath(selector)) evaluateXPath(page, compileXPath(selector))
      else selectAll(page, compileSelector(selector))
    } catch (failure) {
      assert.equal((failure as { code?: string }).code, 'extract.too-slow')
    }
  }
})

test('a selector that would take too many steps fails as too slow', () => {
  const page = parseDocument(`<body>${'<p>x</p>'.repeat(20_000)}`)
  const everyOther = Array.from({ length: 40 }, (_, index) => `:has(~ p[x${index}])`).join('')
  assert.throws(() => selectAll(page, compileSelector(`p:not(${everyOther})`)), {
    code: 'extract.too-slow',
    message: /make it narrower/,
  })
})

for (const [selector, why] of [
  ['a:hover', ':hover is not supported'],
  ['a::before', '::before is not supported; use ::attr(name) or ::text'],
  ['a::attr(href) b', '::attr is allowed only at the end'],
  ['a < b', '"<" has no meaning here'],
  ['foo|a', 'the prefix "foo|" is not supported; use html|, svg|, math| or *|'],
  ['[foo|href]', 'is not supported for attributes; use xlink|, xml|, xmlns| or *|'],
  ['a:nth-child(2x)', 'write a number, odd, even or 2n+1'],
  ['a:nth-child(2 of )', 'is not valid'],
  ['a:nth-of-type(2 of p)', 'write a number, odd, even or 2n+1'],
  ['a:lang()', 'does not name languages'],
  ['a:lang(1st)', 'does not name languages'],
  ['a, b::text', 'all parts of a list need the same'],
  ['> a', 'a combinator'],
  ['a,', 'empty'],
  [`${':not('.repeat(40)}a${')'.repeat(40)}`, 'nested deeper than 16'],
  ['a'.repeat(20_000), 'longer than 16384 characters'],
  ['a[href="x', 'the string does not end'],
] as const) {
  test(`the selector ${selector.slice(0, 30)} is refused: ${why}`, () => {
    assert.throws(
      () => compileSelector(selector),
      (failure: Error) =>
        failure.message.includes(why) && 'code' in failure && failure.code === 'input.invalid',
    )
  })
}

test('::attr and ::text return the attribute or the text of each match', () => {
  assert.equal(compileSelector('a.x::attr(HREF)').attribute, 'href')
  assert.equal(compileSelector('h1::text').wantsText, true)
  assert.deepEqual([compileSelector('h1').attribute, compileSelector('h1').wantsText], [null, false])
  assert.equal(compileSelector('::attr(id)').alternatives.length, 1)
})

test('classes and ids are found through character references and escapes, case-sensitively', () => {
  const page = parseDocument('<p class="a&amp;b C" id="x:y">1</p><p class=c id=X>2</p>')
  const texts = (css: string) => selectAll(page, compileSelector(css)).map(node => page.text(node))
  assert.deepEqual(texts('.a\\&b'), ['1'])
  assert.deepEqual(texts('#x\\:y'), ['1'])
  assert.deepEqual(texts('.c'), ['2'])
  assert.deepEqual(texts('.C'), ['1'])
  assert.deepEqual(texts('[class="C" i]'), ['2'])
  assert.deepEqual(texts('[id=x i]'), ['2'])
})

test('values of attributes like type and rel are compared without letter case, unless a flag says otherwise', () => {
  const page = parseDocument('<input type="TEXT"><link rel="Canonical" href=/x>')
  assert.equal(selectAll(page, compileSelector('[type=text]')).length, 1)
  assert.equal(selectAll(page, compileSelector('[type=text s]')).length, 0)
  assert.equal(selectAll(page, compileSelector('link[rel=canonical]')).length, 1)
})

test('many queries on one page give the same results as the first ones', () => {
  const page = parseDocument(
    `<ul>${'<li class="item x"><a id=k href=/1>1</a><x-tag></x-tag></li>'.repeat(50)}</ul>`,
  )
  for (let round = 0; round < 20; round++) {
    for (const css of ['li', '.item', 'li.x a', 'a[href]', 'x-tag', '#k', 'li:nth-child(n) > a']) {
      assert.equal(selectAll(page, compileSelector(css)).length, 50, css)
    }
    assert.equal(selectAll(page, compileSelector('.none, #none, none-such, video')).length, 0)
  }
})

test(':lang uses the nearest language, in any letter case', () => {
  const page = parseDocument(
    '<html lang=en><body><p id=a>1<p id=b lang=DE-at>2<div lang=fr-Latn-CH><p id=c>3</div><p id=d lang="">4',
  )
  const ids = (css: string) => selectAll(page, compileSelector(css)).map(node => page.attribute(node, 'id'))
  assert.deepEqual(ids('p:lang(en)'), ['a'])
  assert.deepEqual(ids('p:lang(de)'), ['b'])
  assert.deepEqual(ids('p:lang(de-AT)'), ['b'])
  assert.deepEqual(ids('p:lang(d)'), [])
  assert.deepEqual(ids('p:lang("*-CH", de)'), ['b', 'c'])
  assert.deepEqual(ids('p:lang(fr-CH)'), ['c'])
  assert.deepEqual(ids('p:not(:lang(en))'), ['b', 'c', 'd'])
  const declared = parseDocument('<meta http-equiv=Content-Language content=sv><p>1')
  assert.equal(selectAll(declared, compileSelector('p:lang(sv)')).length, 1)
})

test(':any-link and :link match anchors and areas with an href', () => {
  const page = parseDocument('<link href=/s><a href=/1>1</a><a>2</a><map><area href=/3></map><p href=/4>')
  for (const css of [':any-link', ':link'])
    assert.deepEqual(
      selectAll(page, compileSelector(css)).map(node => page.name(node)),
      ['a', 'area'],
    )
})

test(':nth-child(… of …) counts only the siblings that match', () => {
  const page = parseDocument(
    '<ul><li>0<li class=x>1<li>2<li class="x y">3<li class=x>4</ul><ul><li class=x>5<b>6</b></ul>',
  )
  const texts = (css: string) => selectAll(page, compileSelector(css)).map(node => page.text(node))
  assert.deepEqual(texts('li:nth-child(2 of .x)'), ['3'])
  assert.deepEqual(texts('li:nth-child(odd of .x, :not(li))'), ['1', '4', '56'])
  assert.deepEqual(texts('li:nth-last-child(1 of .x)'), ['4', '56'])
  assert.deepEqual(texts('li.y:nth-child(even OF ul > .x)'), ['3'])
  assert.deepEqual(texts('li:not(.x):nth-child(1 of li.x)'), [])
})

test(':scope is the context element, and combinators may start at its ancestors', () => {
  const page = parseDocument('<div class=out><section><p>1</p><div><p>2</p></div></section></div>')
  const section = selectFirst(page, compileSelector('section'))
  const texts = (css: string) => selectAll(page, compileSelector(css), section).map(node => page.text(node))
  assert.deepEqual(texts(':scope > p'), ['1'])
  assert.deepEqual(texts('.out p'), ['1', '2'])
  assert.equal(matches(page, compileSelector('.out > section'), section), true)
  assert.equal(matches(page, compileSelector('p'), section), false)
})

test('prefixes distinguish elements of HTML from those of SVG and MathML', () => {
  const document = parseDocument(
    '<title>Page</title><a href="/h">1</a><svg><title>Lamp</title><a xlink:href="/s" xml:lang="en">2</a></svg><math><mi>x</mi></math>',
  )
  const texts = (css: string) => selectAll(document, compileSelector(css), 0).map(node => document.text(node))
  assert.deepEqual(texts('svg|title'), ['Lamp'])
  assert.deepEqual(texts('html|title'), ['Page'])
  assert.deepEqual(texts('*|title'), ['Page', 'Lamp'])
  assert.deepEqual(texts('math|*'), ['x', 'x'])
  assert.deepEqual(texts('[xlink|href]'), ['2'])
  assert.deepEqual(texts('[xml|lang=en]'), ['2'])
  assert.deepEqual(texts('a[|href]'), ['1'])
})

test(':disabled considers the fieldset and the group around a field too', () => {
  const document =
    parseDocument(`<fieldset disabled id=f><legend><input id=l></legend><legend><input id=m></legend>
    <input id=a><div><button id=b>b</button></div><fieldset id=g></fieldset><a id=x></a></fieldset>
    <select id=s><optgroup id=o disabled><option id=p></optgroup><option id=q></select><input id=d disabled>`)
  const ids = (css: string) =>
    selectAll(document, compileSelector(css), 0).map(node => document.attribute(node, 'id'))
  assert.deepEqual(ids(':disabled'), ['f', 'm', 'a', 'b', 'g', 'o', 'p', 'd'])
  assert.deepEqual(ids(':enabled'), ['l', 's', 'q'])
})
