// Tests the job that browser flags describe, and flags that contradict each other.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { isolationOf, renderSpecOf } from './render-spec.ts'

test('without flags a job has no browser options', () => {
  assert.deepEqual(renderSpecOf({}), {})
  assert.deepEqual(isolationOf({}), {})
})

test('--full-page implies a screenshot', () => {
  assert.deepEqual(renderSpecOf({ fullPage: true }).rendering, { screenshot: true, fullPage: true })
  assert.deepEqual(renderSpecOf({ screenshot: true }).rendering, { screenshot: true })
})

test('--isolation renders pages in a browser, unless --render sets another mode', () => {
  assert.equal(renderSpecOf({ isolation: 'task' } as never).render, 'always')
  assert.equal(renderSpecOf({ isolation: 'task', render: 'auto' } as never).render, 'auto')
  assert.deepEqual(isolationOf({ isolation: 'task' } as never), { browser: { isolation: 'task' } })
})

test('the values of --js and --session are stored in the job', () => {
  assert.deepEqual(renderSpecOf({ js: false } as never).rendering, { js: false })
  assert.equal(renderSpecOf({ session: 's', browser: 'stealth' } as never).session, 's')
})

test('--render never is refused together with flags that need a browser, and the error names the flags', () => {
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
