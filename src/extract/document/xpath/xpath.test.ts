// Tests what XPath finds, what it refuses, and its time limit.
import assert from 'node:assert/strict'
import test from 'node:test'
import { compileSelector, compileXPath, evaluateXPath, parseDocument, selectFirst } from '../index.ts'

const page = parseDocument(
  '<!doctype html><body><div class="x y"><a href="/1?a&amp;b">one</a> <a href=/2>t&amp;wo</a></div><p>hi<!--c--></p>',
)

function results(expression: string, from = 0): string[] {
  return evaluateXPath(page, compileXPath(expression), from).map(found =>
    typeof found === 'number' ? page.text(found) : found,
  )
}

test('paths find elements, text and the values of attributes', () => {
  assert.deepEqual(results('//a'), ['one', 't&wo'])
  assert.deepEqual(results('//a/@href'), ['/1?a&b', '/2'])
  assert.deepEqual(results('//a[2]/text()'), ['t&wo'])
  assert.deepEqual(results('/html/body/p'), ['hi'])
  assert.deepEqual(results('//a[@href="/2"]/preceding-sibling::a'), ['one'])
  assert.deepEqual(results('//p/comment()'), ['c'])
  assert.deepEqual(results('//div[contains(concat(" ", normalize-space(@class), " "), " y ")]/a[last()]'), [
    't&wo',
  ])
  assert.deepEqual(results('//nothing'), [])
})

test('an XPath expression that computes a value returns it as a string', () => {
  assert.deepEqual(results('string(//a)'), ['one'])
  assert.deepEqual(results('1 div 3 > 0.3 and not(2 < 1)'), ['true'])
  assert.deepEqual(results('10 mod 4 - -2 * 3'), ['8'])
  assert.deepEqual(results('substring("12345", 2, 3)'), ['234'])
  assert.deepEqual(results('translate("bar", "abc", "AB")'), ['BAr'])
  assert.deepEqual(results('substring-before("1999/04", "/")'), ['1999'])
  assert.deepEqual(results('number("x")'), ['NaN'])
  assert.deepEqual(results('lower-case(name(//a))'), ['a'])
  assert.deepEqual(results('count(//a)'), ['2'])
  assert.deepEqual(results('string((//a)[1])'), ['one'])
  assert.deepEqual(results('//a = "one"'), ['true'])
  assert.deepEqual(results('string-join(//a, "|")'), ['one|t&wo'])
})

const languages = parseDocument(
  '<html lang=en><body id=top><p id=a lang=de-AT class="big  red">Nr. 12<p id=b class=red>No. 7<svg><path d=M0 /></svg><p ref="b a">',
)
const ids = (expression: string): string[] =>
  evaluateXPath(languages, compileXPath(`${expression}/@id`)).map(String)

test('id() finds elements by one id or a list, in page order', () => {
  assert.deepEqual(ids('id("b")'), ['b'])
  assert.deepEqual(ids('id("b none a")'), ['a', 'b'])
  assert.deepEqual(ids('id(//@ref)'), ['a', 'b'])
  assert.deepEqual(ids('id("top")/p[1]'), ['a'])
})

test('lang() uses the nearest language', () => {
  assert.deepEqual(ids('//p[lang("de")]'), ['a'])
  assert.deepEqual(ids('//p[lang("EN")][@id]'), ['b'])
  assert.deepEqual(ids('//p[lang("d")]'), [])
})

test('namespace-uri() distinguishes HTML from SVG as browsers do', () => {
  const uri = (path: string) => evaluateXPath(languages, compileXPath(`namespace-uri(${path})`))
  assert.deepEqual(uri('//p'), ['http://www.w3.org/1999/xhtml'])
  assert.deepEqual(uri('//path'), ['http://www.w3.org/2000/svg'])
  assert.deepEqual(uri('//p/@id'), [''])
  assert.deepEqual(uri('//none'), [''])
})

test('has-class() matches whole class names, all of them', () => {
  assert.deepEqual(ids('//p[has-class("red")]'), ['a', 'b'])
  assert.deepEqual(ids('//p[has-class("red", "big")]'), ['a'])
  assert.deepEqual(ids('//*[has-class("bi")]'), [])
})

test('re:test and matches find patterns in linear time', () => {
  assert.deepEqual(ids('//p[re:test(., "^n[or]\\. \\d+$", "i")]'), ['a', 'b'])
  assert.deepEqual(ids('//p[re:test(., "\\d{2}")]'), ['a'])
  assert.deepEqual(ids('//p[matches(@class, "^red$")]'), ['b'])
  const hostile = parseDocument(`<p>${'a'.repeat(100_000)}!`)
  assert.deepEqual(evaluateXPath(hostile, compileXPath('re:test(//p, "^(a+)+$")')), ['false'])
})

test('an XPath can start at an element', () => {
  const div = selectFirst(page, compileSelector('div'))
  assert.deepEqual(results('.//a', div), ['one', 't&wo'])
  assert.deepEqual(results('a[1]/@href', div), ['/1?a&b'])
  assert.deepEqual(results('..', div), ['one t&wohi'])
})

for (const [expression, why] of [
  ['//div[', 'a name, *, text() or node() is expected'],
  ['', 'a name, *, text() or node() is expected'],
  ['no-such(1)', 'the function no-such() is not supported'],
  ['fontoxpath:fetch("http://127.0.0.1/")', 'fontoxpath:fetch() is not supported'],
  ['replace(//a, "a", "b")', 'the function replace() is not supported'],
  ['//a[re:test(., "(")]', '/(/ is not a valid RE2 pattern: missing closing )'],
  ['//a[re:test(., "(?=x)")]', 'is not a valid RE2 pattern'],
  ['//a[re:test(., "x", "q")]', 'the flag "q" is not supported; use i, m, s or g'],
  ['has-class()', 'has-class() takes 1 to 64 arguments'],
  ['doc("file:///etc/passwd")', 'doc() is not supported'],
  ['$x', 'variables are not supported'],
  ['//x:a', 'prefixes are not supported: x:a'],
  ['count(1 to 999999999)', '")" is expected here'],
  ['for $a in //a, $b in //a return $a', 'variables are not supported'],
  ['count("x")', 'count() takes a path'],
  ['contains("x")', 'contains() takes 2 arguments'],
  ['"x" | //a', '| can join only paths'],
  ['//a/up::b', 'the axis up:: is not supported'],
  ['//a["x]', 'the string does not end'],
  [`${'('.repeat(50)}1${')'.repeat(50)}`, 'nested deeper than 32'],
  ['/a'.repeat(3_000), 'longer than 4096'],
] as const) {
  test(`the XPath ${expression.slice(0, 40)} is refused: ${why}`, () => {
    assert.throws(
      () => compileXPath(expression),
      (failure: Error) =>
        failure.message.includes(why) && 'code' in failure && failure.code === 'input.invalid',
    )
  })
}

test('an expression that would visit too many nodes fails as too slow', () => {
  const large = parseDocument(`<body>${'<div><p>x</p></div>'.repeat(20_000)}`)
  assert.throws(() => evaluateXPath(large, compileXPath('//*//*//*//*[//*]')), {
    code: 'extract.too-slow',
    message: /make it narrower/,
  })
})

test('an XPath step that reaches a node thousands of times returns this node once', () => {
  const document = parseDocument(`<table>${'<tr><td id=a>x'.repeat(4_000)}</table>`)
  const all = evaluateXPath(document, compileXPath('count(//tr[position() < 500]/following::td)'))
  assert.deepEqual(all, ['3999'])
  const ids = evaluateXPath(document, compileXPath('count(//tr[position() < 300]/following::td[1]/@id)'))
  assert.deepEqual(ids, ['299'])
  assert.throws(() => evaluateXPath(document, compileXPath('//*/following::*')), { code: 'extract.too-slow' })
})
