// Tests how Firecrawl's actions become actions of kscrape, and how their results get Firecrawl's form.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { actionResults, ourActions, pictureSteps } from './actions.ts'
import type { TheirAction } from './schemas.ts'

const one = (action: object) => ourActions([action as TheirAction])

test('a wait action takes a time or an element', () => {
  assert.deepEqual(one({ type: 'wait', milliseconds: 1.6 }), [{ type: 'wait', ms: 2 }])
  assert.deepEqual(one({ type: 'wait', selector: '#a' }), [{ type: 'wait', selector: '#a' }])
})

test('a click action clicks the first matching element, or all of them', () => {
  assert.deepEqual(one({ type: 'click', selector: 'a' }), [{ type: 'click', selector: 'a' }])
  assert.equal(one({ type: 'click', selector: 'a', all: true })[0]?.type, 'for-each')
})

test('double braces are typed literally, and never filled in', () => {
  const steps = one({ type: 'write', text: 'a {{secret.key}} b' })
  assert.deepEqual(
    steps.map(step => 'text' in step && step.text),
    ['a {', '{secret.key}} b'],
  )
})

test('a scroll moves by the height of the window or of the selected element, and the selector is quoted in the script', () => {
  const scriptOf = (action: object) => (one(action)[0] as unknown as { script: string }).script
  assert.equal(scriptOf({ type: 'scroll', direction: 'up' }), 'window.scrollBy(0, -window.innerHeight)')
  const script = scriptOf({ type: 'scroll', direction: 'down', selector: '"];alert(1)//' })
  assert.ok(script.includes(JSON.stringify('"];alert(1)//')))
  assert.ok(script.includes('scrollBy(0, place.clientHeight)'))
})

test('a screenshot of another size sets the size of the window first', () => {
  assert.deepEqual(pictureSteps({}), [{ type: 'screenshot', fullPage: false }])
  assert.deepEqual(pictureSteps({ quality: 0, viewport: { width: 1, height: 2 } }), [
    { type: 'set-viewport', width: 1, height: 2 },
    { type: 'screenshot', fullPage: false, quality: 0 },
  ])
})

test('results keep the position of their step, and a script without a value gives null', () => {
  const types = ['wait', 'scrape', 'executeJavascript', 'executeJavascript', 'executeJavascript']
  const steps = ourActions([
    ...[{ type: 'wait', milliseconds: 1 }, { type: 'scrape' }],
    ...[1, 2, 3].map(() => ({ type: 'executeJavascript', script: 'x' })),
  ] as TheirAction[])
  const [scrape, first, second] = steps.flatMap(step => ('as' in step ? [String(step.as)] : []))
  const values = { [scrape!]: { html: 'h' }, [first!]: [1], [second!]: 'text' }
  assert.deepEqual(actionResults(types, values, { screenshots: ['s'], pdfs: [] }), {
    ...{ screenshots: ['s'], pdfs: [], scrapes: [{ html: 'h' }] },
    javascriptReturns: [
      { type: 'array', value: [1] },
      { type: 'string', value: 'text' },
      { type: 'null', value: null },
    ],
  })
})
