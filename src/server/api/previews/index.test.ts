// Tests the job that a preview creates.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { specOf } from './index.ts'

const of = (body: object) => specOf({ url: 'https://a.example/', ...body } as never)

test('only a preview with render mode `always` has a screenshot', () => {
  assert.equal(of({}).rendering?.screenshot, false)
  assert.equal(of({ render: 'auto' }).rendering?.screenshot, false)
  assert.equal(of({ render: true }).rendering?.screenshot, true)
  assert.equal(of({ render: 'always' }).rendering?.screenshot, true)
})

test('options of the caller become options of the preview’s job', () => {
  const spec = of({
    waitFor: '.price',
    userAgent: 'me',
    headers: { a: 'b' },
    extract: { fields: { t: 'h1' } },
  })
  assert.deepEqual([spec.urls, spec.userAgent, spec.headers], [['https://a.example/'], 'me', { a: 'b' }])
  assert.equal(spec.rendering?.waitFor, '.price')
  assert.deepEqual(Object.keys(spec.extract?.fields ?? {}), ['t'])
})
