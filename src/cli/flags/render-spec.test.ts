// The job that browser flags describe, and flags that contradict each other.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { isolationOf, renderSpecOf } from './render-spec.ts'

test('without flags a job has no browser options', () => {
  assert.deepEqual(renderSpecOf({}), {})
  assert.deepEqual(isolationOf({}), {})
})

test('a full-page screenshot is a screenshot', () => {
  assert.deepEqual(renderSpecOf({ fullPage: true }).rendering, { screenshot: true, fullPage: true })
  assert.deepEqual(renderSpecOf({ screenshot: true }).rendering, { screenshot: true })
})

test('isolation implies a browser; an explicit mode stays', () => {
  assert.equal(renderSpecOf({ isolation: 'task' } as never).render, 'always')
  assert.equal(renderSpecOf({ isolation: 'task', render: 'auto' } as never).render, 'auto')
  assert.deepEqual(isolationOf({ isolation: 'task' } as never), { browser: { isolation: 'task' } })
})

test('disabling JavaScript is stored, and so is every other value', () => {
  assert.deepEqual(renderSpecOf({ js: false } as never).rendering, { js: false })
  assert.equal(renderSpecOf({ session: 's', browser: 'stealth' } as never).session, 's')
})

test('no rendering and an option that needs it are refused together, and all flags are named', () => {
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
