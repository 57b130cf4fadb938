// Tests which selectors are valid, and which are refused before a browser gets them.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import selectors from '../../../test/vectors/bad-inputs/selectors.json' with { type: 'json' }
import { readSelector, selectorProblem } from './selector-text.ts'

const right = [
  ...[
    'a > b ~ c + d',
    '#x.y[data-z]',
    "[aria-label='it\\'s']",
    'input[name=q i]',
    'a:not(.b):nth-child(2n+1)',
  ],
  ...[
    '.a\\:b',
    '#\\31 23',
    '--own-element',
    '日本語',
    'a, b',
    '*',
    ':is(a, b) c',
    'button:has-text("Go (now)")',
  ],
  ...['#row-{{row.id}}', '.{{row.class}}', 'aria/Search[role="button"]', 'text/Add to cart', 'pierce/.deep'],
  ...["xpath///*[@id='x']", '//a[contains(text(), "(")]', '(//a)[1]'],
]
const wrong = [
  ...[
    '##',
    '.',
    '#',
    'a >',
    '> a',
    'a,,b',
    'a[',
    'a[=x]',
    ':nth-child(',
    'a{',
    '.1a',
    'a::before',
    'h1 >> a',
  ],
  ...['pierce/##', 'aria/', 'text/ ', '//div[', "//a[@b='c]", '(//a'],
]

for (const selector of right)
  test(`${selector} is accepted as a selector`, () => assert.equal(selectorProblem(selector), null))

for (const selector of wrong)
  test(`${selector} is refused as a selector`, () => assert.notEqual(selectorProblem(selector), null))

for (const selector of selectors.invalid as string[])
  test(`the vector ${JSON.stringify(selector)} is refused as a selector`, () =>
    assert.notEqual(selectorProblem(selector), null))

test('the prefix of a selector selects its kind', () => {
  assert.deepEqual(readSelector('xpath///*[@id="x"]'), { kind: 'xpath', text: '//*[@id="x"]' })
  assert.deepEqual(readSelector('//a'), { kind: 'xpath', text: '//a' })
  assert.deepEqual(readSelector('aria/Go'), { kind: 'aria', text: 'Go' })
  assert.deepEqual(readSelector('a.b'), { kind: 'css', text: 'a.b' })
})
