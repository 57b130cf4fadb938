// Tests that known secrets are redacted from text, bytes and values, in every encoding.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Redactor } from './redactor.ts'

const secret = 'p&ss "wörd"/1'
const redactor = new Redactor()
redactor.add(secret)

for (const [how, text] of Object.entries({
  'as it is': secret,
  'in a URL': `https://a.example/?q=${encodeURIComponent(secret)}`,
  'in JSON': JSON.stringify({ secret }),
  'in HTML': '<b>p&amp;ss &quot;wörd&quot;/1</b>',
  'as base64': Buffer.from(secret).toString('base64'),
}))
  test(`a secret is redacted ${how}`, () => {
    const cut = redactor.text(text)
    assert.match(cut, /REDACTED/)
    assert.ok(!cut.includes('wörd') && !cut.includes('w%C3%B6rd'))
  })

test('bytes without a secret stay unchanged', () => {
  const bytes = Buffer.from([0, 255, 128, 10])
  assert.equal(redactor.bytes(bytes), bytes)
  assert.equal(redactor.bytes(Buffer.from(`x${secret}y`)).toString(), 'xREDACTEDy')
})

test('values are redacted at any depth, keys too', () => {
  assert.deepEqual(redactor.json({ a: [secret, 1, null], [secret]: true }), {
    a: ['REDACTED', 1, null],
    REDACTED: true,
  })
})

test('if two secrets overlap, the longer one is redacted completely', () => {
  const both = new Redactor()
  both.add('engine')
  both.add('difference-engine')
  assert.equal(both.text('the difference-engine and the engine'), 'the REDACTED and the REDACTED')
})
