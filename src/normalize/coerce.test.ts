// Tests parsing text as each type of a rule.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { fieldTypes } from '../model/extraction-rules.ts'
import { coerce, makeCoerce } from './coerce.ts'

const context = { baseUrl: 'https://shop.example/a/b', language: null, machine: false }

test('each field type parses its own kind of text', () => {
  assert.equal(coerce(' a\n b ', 'text', context), 'a b')
  assert.equal(coerce('4,5', 'number', context), 4.5)
  assert.equal(coerce('1,204 reviews', 'integer', context), 1204)
  assert.equal(coerce('In stock', 'boolean', context), true)
  assert.equal(coerce('https://schema.org/OutOfStock', 'boolean', context), false)
  assert.equal(coerce('5 March 2024', 'date', context), '2024-03-05')
  assert.equal(coerce(' <b>x</b>\n', 'html', context), '<b>x</b>')
  assert.deepEqual(coerce('$5', 'money', context), { amount: 5, currency: 'USD' })
})

test('text that cannot be parsed as its type becomes null', () => {
  for (const as of ['number', 'integer', 'boolean', 'date', 'money', 'email', 'phone'] as const) {
    assert.equal(coerce('call us', as, context), null)
    assert.equal(coerce('  ', as, context), null)
  }
  assert.equal(coerce('', 'url', context), null)
})

test('a URL becomes absolute and loses its tracking parameters, but is otherwise unchanged', () => {
  assert.equal(
    coerce('../x?b=%20&utm_source=mail&a=1&GCLID=z', 'url', context),
    'https://shop.example/x?b=%20&a=1',
  )
  assert.equal(coerce('https://other.example/?fbclid=1#top', 'url', context), 'https://other.example/#top')
  assert.equal(coerce('javascript:alert(1)', 'url', context), null)
  assert.equal(coerce('data:image/gif;base64,AA', 'url', context), null)
  assert.equal(coerce('http://[::1', 'url', context), null)
})

test('a URL in a record becomes https, unless https could lead to another server', () => {
  assert.equal(coerce('http://other.example/', 'url', context), 'https://other.example/')
  for (const same of [
    'http://other.example:8080/',
    'http://127.0.0.1/',
    'http://localhost/',
    'ftp://other.example/',
  ])
    assert.equal(coerce(same, 'url', context), same)
  assert.equal(makeCoerce()('http://other.example/', 'url', context), 'http://other.example/')
})

test('e-mail addresses, phone numbers and locations are parsed too', () => {
  assert.equal(coerce('Write to info [at] Acme.example', 'email', context), 'info@acme.example')
  assert.equal(coerce('Tel. +49 30 1234-567', 'phone', context), '+49301234567')
  assert.deepEqual(coerce('Phoenix, AZ 85004', 'location', context), {
    city: 'Phoenix',
    state_region: 'AZ',
    country: 'United States',
    raw: 'Phoenix, AZ 85004',
  })
})

test('escaped markup is removed from machine-readable text, but not from text that a reader sees', () => {
  const machine = { ...context, machine: true }
  assert.equal(coerce('&lt;p&gt;Soft &amp;amp; warm&lt;/p&gt;', 'text', machine), 'Soft & warm')
  assert.equal(coerce('<script>x</script><b>Warm</b><!-- y', 'text', machine), 'Warm')
  assert.equal(coerce('use <div> here', 'text', context), 'use <div> here')
})

test('a conversion never throws, whatever the text', () => {
  fc.assert(
    fc.property(
      fc.string({ unit: 'binary' }),
      fc.constantFrom(...fieldTypes),
      fc.boolean(),
      (text, as, machine) => {
        const value = coerce(text, as, { ...context, machine })
        assert.doesNotThrow(() => JSON.stringify(value))
      },
    ),
  )
})
