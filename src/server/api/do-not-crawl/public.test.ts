// Tests how the form of the opt-out page is parsed.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { fieldsOf, formBody } from './public.ts'

test('a checkbox that is in the form data is true, and empty fields are left out', () => {
  const filled = formBody({ host: 'shop.example', subdomains: 'on', reason: 'load', contact: '' })
  assert.deepEqual(filled, { host: 'shop.example', subdomains: true, reason: 'load' })
  assert.equal(formBody({ host: 'shop.example' }).subdomains, false)
})

test('a form without a host is refused', () => {
  for (const form of [{}, { host: '' }, { host: 'x'.repeat(301) }])
    assert.throws(() => formBody(form as Record<string, string>), {
      code: 'input.invalid',
      details: { path: 'host' },
    })
})

test('a body that is not a form has no fields', () => {
  for (const body of [null, undefined, 'host=a']) assert.deepEqual(fieldsOf(body), {})
})
