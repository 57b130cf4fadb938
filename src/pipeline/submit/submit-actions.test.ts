// Tests which actions of a job are accepted, and which are refused with the position of the step.
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { test } from 'node:test'
import { Failure } from '../../model/failures.ts'
import { type Action, actionTypes, startUrlOf } from '../../model/page/actions.ts'
import { parseJobBody } from './submit-job.ts'

const vectors = JSON.parse(
  readFileSync(new URL('../../../test/vectors/bad-inputs/actions.json', import.meta.url), 'utf8'),
) as { invalid: unknown[]; hostile_but_valid: unknown[] }

const read = (given: unknown) => parseJobBody({ urls: ['https://a.example/'], actions: given }).actions!

function problemWith(given: unknown): string {
  try {
    read(given)
  } catch (error) {
    assert.ok(error instanceof Failure && error.code === 'input.invalid', String(error))
    return error.message.replace("the job can't be accepted: ", '')
  }
  throw new Error('it was accepted')
}

for (const given of vectors.invalid)
  test(`the actions ${JSON.stringify(given).slice(0, 70)} are refused`, () => {
    assert.notEqual(problemWith(given), '')
  })

for (const given of vectors.hostile_but_valid)
  test(`the actions ${JSON.stringify(given).slice(0, 70)} are valid, although they look hostile`, () => {
    assert.ok(read(given))
  })

for (const { given, says } of [
  { given: [{ type: 'clik' }], says: /^actions\[0\]\.type: "clik" is not an action; use one of goto, / },
  {
    given: [{ type: 'wait', ms: 0 }, { type: 'click' }],
    says: /^actions\[1\]\.selector: needs exactly one of/,
  },
  {
    given: [
      { type: 'repeat', times: 2, steps: [{ type: 'try', steps: [{ type: 'hover', selector: 'a[' }] }] },
    ],
    says: /^actions\[0\]\.steps\[0\]\.steps\[0\]\.selector: selector "a\["/,
  },
  { given: [{ type: 'goto', url: 'file:///etc/passwd' }], says: /an http or https URL/ },
  { given: [{ type: 'goto', url: 'javascript:alert(1)' }], says: /an http or https URL/ },
  { given: [{ type: 'type', selector: 'a', text: '{{env.HOME}}' }], says: /\{\{env\.HOME\}\} is neither/ },
  { given: [{ type: 'wait', ms: 1, selector: 'a' }], says: /needs exactly one of ms, selector/ },
  { given: [{ type: 'wait', ms: 1, count: 2 }], says: /go with a selector/ },
  { given: [{ type: 'screenshot', path: '/tmp/x' }], says: /^actions\[0\]\.path: unknown/ },
  {
    given: [{ type: 'upload', selector: 'a', files: [{ name: '../x', text: '' }] }],
    says: /without a folder/,
  },
  { given: [{ type: 'upload', selector: 'a', files: [{ name: 'x' }] }], says: /one of text and base64/ },
  { given: [{ type: 'when', steps: [] }], says: /needs one condition/ },
  { given: [], says: /at least one action/ },
])
  test(`the error for ${JSON.stringify(given)} names its path`, () => {
    assert.match(problemWith(given), says)
  })

test('actions with too many steps or too much nesting are refused at once', () => {
  let deep: unknown[] = [{ type: 'wait', ms: 0 }]
  for (let depth = 0; depth < 5_000; depth++) deep = [{ type: 'repeat', times: 1, steps: deep }]
  assert.match(problemWith(deep), /more than 10 levels deep/)
  const inside = Array.from({ length: 400 }, () => ({ type: 'wait', ms: 0 }))
  const many = Array.from({ length: 3 }, () => ({ type: 'repeat', times: 1, steps: inside }))
  assert.match(problemWith(many), /more than 1000 steps/)
})

test('every action type can be executed', () => {
  const asked =
    'goto back forward reload click type press select upload hover scroll wait extract evaluate screenshot pdf paginate download when repeat repeat-until for-each try'
  for (const type of asked.split(' ')) assert.ok(actionTypes.includes(type as Action['type']), type)
})

test('the start page of a task is the URL of its first goto action, with placeholders replaced by the values of its row', () => {
  const viewport = { type: 'set-viewport', width: 800, height: 600 }
  const start = (url: string, row = {}) => startUrlOf(read([viewport, { type: 'goto', url }]), row)
  assert.equal(start('https://a.example/x'), 'https://a.example/x')
  assert.equal(start('https://a.example/{{row.id}}', { id: 7 }), 'https://a.example/7')
  assert.equal(start('https://a.example/{{row.id}}'), null)
  assert.equal(start('https://a.example/{{secret.TOKEN}}'), null)
  assert.equal(startUrlOf(read([{ type: 'back' }])), null)
})
