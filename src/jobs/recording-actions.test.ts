// Tests how a recording becomes actions: one action per step, parameters for typed values, and errors with their position.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { readRecording } from './recording-actions.ts'

const steps = (...given: unknown[]) => ({ title: 'A recording', steps: given })
const change = (selectors: unknown, value: string) => ({ type: 'change', selectors, value })
const read = (...given: unknown[]) => readRecording(steps(...given), 'r.json')

test('a typed value is named after the label of its field, else after the field’s name or id', () => {
  const { parameters } = read(
    change(['aria/First name', '#a'], 'Ada'),
    change(["input[name='q']", '#b'], 'x'),
    change(['#street-2 > input', 'xpath///*[@id="zip"]'], 'y'),
    change(['body > input'], 'z'),
  )
  assert.deepEqual(
    parameters.map(({ name }) => name),
    ['first_name', 'q', 'street_2', 'value'],
  )
})

test('steps that fill the same field share one parameter, and another field with the same name gets a number', () => {
  const { parameters, actions } = read(change(['#a'], '1'), change(['#a'], '12'), change(['div #a'], '3'))
  assert.deepEqual(
    parameters.map(({ name, recorded }) => `${name}=${recorded}`),
    ['a=12', 'a_2=3'],
  )
  assert.deepEqual(
    actions.map(action => action.type === 'type' && action.parameter),
    ['a', 'a', 'a_2'],
  )
})

test('a recorded password is never shown, and a template like {{secret.PIN}} does not become a parameter', () => {
  const { parameters } = read(change(['aria/Password'], 'hunter2'), change(['#pin'], '{{secret.PIN}}'))
  assert.deepEqual(parameters, [{ name: 'password', recorded: null, step: 1 }])
})

test('the URL that is expected after a step contains no temporary parts', () => {
  const { actions } = read({
    type: 'navigate',
    url: 'https://a.example/',
    assertedEvents: [{ type: 'navigation', url: 'https://a.example/s?sid=1#x', title: 'A' }],
  })
  assert.deepEqual(actions[0]!.expectNavigation, { url: 'https://a.example/s', title: 'A', recorded: true })
})

test('a step that opens a new tab causes no navigation, and the timeout of a recording applies to each step', () => {
  const { actions } = readRecording(
    {
      title: '',
      timeout: 700,
      steps: [
        { type: 'navigate', url: 'chrome://newtab/' },
        { type: 'keyUp', key: 'a' },
      ],
    },
    'r.json',
  )
  assert.deepEqual(actions, [{ type: 'key-up', key: 'a', timeoutMs: 700 }])
})

test('actions that only kscrape has are stored as custom steps, in the syntax of a job', () => {
  const { actions } = read({
    type: 'customStep',
    name: 'paginate',
    parameters: { selector: '.next', max_pages: 3, steps: [{ type: 'extract', fields: { the_name: 'h1' } }] },
  })
  assert.deepEqual(actions, [
    {
      type: 'paginate',
      selector: '.next',
      maxPages: 3,
      steps: [{ type: 'extract', fields: { the_name: 'h1' } }],
    },
  ])
})

test('a custom step of another tool is skipped with a warning', () => {
  const { actions, skipped } = read(
    { type: 'customStep', name: 'dance', parameters: {} },
    { type: 'customStep', name: 'pagnate', parameters: {} },
    { type: 'keyUp', key: 'a' },
  )
  assert.deepEqual(
    actions.map(({ type }) => type),
    ['key-up'],
  )
  assert.deepEqual(skipped, [
    'steps[0]: "dance" is a step of another tool and is skipped',
    'steps[1]: "pagnate" is a step of another tool and is skipped; did you mean "paginate"?',
  ])
})

for (const { given, says } of [
  { given: { steps: [] }, says: /title: .*steps: / },
  {
    given: steps({ type: 'navigate', url: 'https://a.example/' }, { type: 'swipe' }),
    says: /steps\[1\]\.type: "swipe" is not a step/,
  },
  { given: steps({ type: 'hover', selectors: [] }), says: /steps\[0\]\.selectors/ },
  { given: steps({ type: 'hover', selectors: [['##']] }), says: /steps\[0\]\.selectors/ },
  {
    given: steps({ type: 'navigate', url: 'file:///etc/passwd' }),
    says: /steps\[0\]\.url: an http or https URL/,
  },
  { given: 'click', says: /r\.json is not a valid recording/ },
])
  test(`the recording ${JSON.stringify(given).slice(0, 100)} is refused, and the error has the position`, () => {
    assert.throws(() => readRecording(given, 'r.json'), { code: 'input.invalid', message: says })
  })
