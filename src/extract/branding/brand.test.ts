// Tests the brand that is derived from style sheets.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { styleBrand } from './brand.ts'
import { colorIn, isVivid, lightnessOf } from './colors.ts'
import { declarationsOf, styleRules } from './style-rules.ts'

const nothingSaid = { themeColor: null, scheme: null }

test('colors of every notation become hex; other values are dropped', () => {
  const said = ['#abc', '#AABBCC80', 'rgb(1 2 3)', 'rgba(0,0,0,.1)', 'hsl(0, 100%, 50%)', '1px solid navy']
  assert.deepEqual(said.map(colorIn), ['#AABBCC', '#AABBCC', '#010203', null, '#FF0000', '#000080'])
  assert.deepEqual(['inherit', 'transparent', '', 'url(#abcdefg)'].map(colorIn), [null, null, null, null])
  assert.ok(isVivid('#0A7D5A') && !isVivid('#808080') && lightnessOf('#FFFFFF') > 0.99)
})

test('CSS rules for print, small screens and dark mode are ignored', () => {
  const css = `body{color:#111} @media print{body{color:red}} @media (max-width:600px){body{color:blue}}
    @media (prefers-color-scheme: dark){body{background:#000}} @media screen and (min-width:800px){body{background:#fafafa}}`
  const { colors, colorScheme } = styleBrand(css, nothingSaid)
  assert.deepEqual([colors.textPrimary, colors.background, colorScheme], ['#111111', '#FAFAFA', 'light'])
})

test('CSS custom properties are resolved, even if they refer to each other or to themselves', () => {
  const css =
    ':root{--a:var(--b);--b:#123456;--loop:var(--loop);--color-primary:var(--a)} a{color:var(--missing, #00f)} h1{color:var(--loop)}'
  const { colors } = styleBrand(css, nothingSaid)
  assert.deepEqual([colors.primary, colors.link], ['#123456', '#0000FF'])
})

test('if no color is named primary, the color of the main button, the theme color or the most frequent color is used', () => {
  assert.equal(styleBrand('.btn-primary{background:#e91e63}', nothingSaid).colors.primary, '#E91E63')
  assert.equal(styleBrand('', { themeColor: '#e91e63', scheme: null }).colors.primary, '#E91E63')
  const often = '.a{color:#c00}.b{background:#c00}.c{color:#00c}.d{color:#333}.e{color:#333}.f{color:#333}'
  assert.equal(styleBrand(often, nothingSaid).colors.primary, '#CC0000')
  assert.deepEqual(styleBrand('', nothingSaid).colors, {})
})

test('fonts come from the body and from loaded font faces, without generic names and icon fonts', () => {
  const css = `@font-face{font-family:"Brand Sans";src:url("x.woff2")} @font-face{font-family:"Font Awesome"}
    body{font:16px/1.5 Brand, system-ui}`
  assert.deepEqual(styleBrand(css, nothingSaid).fonts, [{ family: 'Brand' }, { family: 'Brand Sans' }])
})

test('broken style sheets do not stop the parser, and braces in strings and comments are ignored', () => {
  assert.deepEqual(
    styleRules('a{content:"}"} /* b{ */ c{color:red').map(({ selectors }) => selectors),
    [['a'], ['c']],
  )
  assert.equal(declarationsOf('color: red !important; --X: 1; broken').get('color'), 'red')
  assert.deepEqual(styleRules('}}}} @media {{{{'), [])
  assert.equal(styleRules('a{'.repeat(100_000)).length, 1)
})

test('hostile style sheets are parsed within limits: variables that multiply, endless nesting, endless values', () => {
  const doubling = Array.from({ length: 6 }, (_, at) => `--v${at}:${`var(--v${at + 1}) `.repeat(100)}`)
  const { colors } = styleBrand(
    `:root{${doubling.join(';')};--v6:#123456} body{color:var(--v0)}`,
    nothingSaid,
  )
  assert.equal(colors.textPrimary, undefined)
  assert.deepEqual(styleRules(`${'@media screen{'.repeat(100_000)}p{color:red}`), [])
  assert.equal(declarationsOf(`${'a'.repeat(500_000)};color:red`).get('color'), 'red')
  assert.equal(declarationsOf('a b{x:y{z:1}};color:red;i{j:k}').get('color'), 'red')
  const rules = styleRules(`${'a,'.repeat(900)}a{color:red}`.repeat(1_000))
  assert.ok(rules.flatMap(({ selectors }) => selectors).length < 51_000)
})
