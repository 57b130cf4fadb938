// What the flags about the browser make of a job, and which of them contradict each other.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { isolationOf, renderSpecOf } from './render-spec.ts'

test('without flags a job says nothing about a browser', () => {
  assert.deepEqual(renderSpecOf({}), {})
  assert.deepEqual(isolationOf({}), {})
})

test('a picture of the full page is a picture', () => {
  assert.deepEqual(renderSpecOf({ fullPage: true }).rendering, { screenshot: true, fullPage: true })
  assert.deepEqual(renderSpecOf({ screenshot: true }).rendering, { screenshot: true })
})

test('isolation means that a browser is used; a mode that was named stays', () => {
  assert.equal(renderSpecOf({ isolation: 'task' } as never).render, 'always')
  assert.equal(renderSpecOf({ isolation: 'task', render: 'auto' } as never).render, 'auto')
  assert.deepEqual(isolationOf({ isolation: 'task' } as never), { browser: { isolation: 'task' } })
})

test('switching JavaScript off is kept, as is every other answer', () => {
  assert.deepEqual(renderSpecOf({ js: false } as never).rendering, { js: false })
  assert.equal(renderSpecOf({ session: 's', browser: 'stealth' } as never).session, 's')
})

test('no rendering and a wish that needs it contradict each other, and all flags are named', () => {
  assert.throws(() => renderSpecOf({ render: 'never', screenshot: true }), /--screenshot .* that needs/)
  assert.throws(
    () => renderSpecOf({ render: 'never', pdf: true, browser: 'stealth' } as never),
    /--pdf, --browser stealth .* those need/,
  )
  assert.deepEqual(renderSpecOf({ render: 'never', browser: 'plain' } as never), {
    render: 'never',
    browser: 'plain',
  })
})
