// Property 40: only a holder of the secret can recompute the signatures of a webhook.
import assert from 'node:assert/strict'
import { createHmac } from 'node:crypto'
import { test } from 'node:test'
import fc from 'fast-check'
import { webhookHeaders } from '../../src/deliver/sign-webhook.ts'

const secret = fc.string({ minLength: 1, maxLength: 60 }).filter(text => !text.startsWith('whsec_'))
const message = fc.record({
  id: fc.stringMatching(/^[\w.-]{1,60}$/),
  body: fc.json(),
  at: fc.integer({ min: 0, max: 4_000_000_000_000 }),
})

const standard = (key: string | Buffer, id: string, timestamp: string, body: string): string =>
  `v1,${createHmac('sha256', key).update(`${id}.${timestamp}.${body}`).digest('base64')}`

test('property 40: X-Webhook-Signature is the HMAC-SHA256 of the body in hex', () => {
  fc.assert(
    fc.property(message, secret, (sent, key) => {
      const headers = webhookHeaders(sent, [key])
      assert.equal(headers['x-webhook-signature'], createHmac('sha256', key).update(sent.body).digest('hex'))
    }),
  )
})

test('property 40: webhook-signature signs id, time and body; the time is that of the attempt, in seconds', () => {
  fc.assert(
    fc.property(message, secret, (sent, key) => {
      const headers = webhookHeaders(sent, [key])
      const timestamp = headers['webhook-timestamp']!
      assert.equal(headers['webhook-id'], sent.id)
      assert.equal(timestamp, String(Math.floor(sent.at / 1_000)))
      assert.equal(headers['webhook-signature'], standard(key, sent.id, timestamp, sent.body))
    }),
  )
})

test('property 40: another body, time or secret gives another signature', () => {
  fc.assert(
    fc.property(message, message, secret, secret, (sent, other, key, otherKey) => {
      fc.pre(sent.body !== other.body && key !== otherKey)
      const signature = (body: string, from: string) =>
        webhookHeaders({ ...sent, body }, [from])['x-webhook-signature']
      assert.notEqual(signature(sent.body, key), signature(other.body, key))
      assert.notEqual(signature(sent.body, key), signature(sent.body, otherKey))
      const later = webhookHeaders({ ...sent, at: sent.at + 1_000 }, [key])
      assert.notEqual(later['webhook-signature'], webhookHeaders(sent, [key])['webhook-signature'])
    }),
  )
})

test('property 40: during a rotation of the secret, receivers with the old or the new secret accept the signature', () => {
  fc.assert(
    fc.property(message, secret, secret, (sent, fresh, old) => {
      const headers = webhookHeaders(sent, [fresh, old])
      const timestamp = headers['webhook-timestamp']!
      assert.deepEqual(
        headers['webhook-signature']!.split(' '),
        [fresh, old].map(key => standard(key, sent.id, timestamp, sent.body)),
      )
      assert.equal(headers['x-webhook-signature'], webhookHeaders(sent, [fresh])['x-webhook-signature'])
    }),
  )
})

test('property 40: a secret that begins with `whsec_` is decoded from base64 and signs the webhook', () => {
  fc.assert(
    fc.property(message, fc.uint8Array({ minLength: 24, maxLength: 64 }), (sent, bytes) => {
      const key = Buffer.from(bytes)
      const headers = webhookHeaders(sent, [`whsec_${key.toString('base64')}`])
      const expected = standard(key, sent.id, headers['webhook-timestamp']!, sent.body)
      assert.equal(headers['webhook-signature'], expected)
    }),
  )
})

test('the example of the Standard Webhooks specification gives the documented signature', () => {
  const sent = {
    id: 'msg_p5jXN8AQM9LWM0D4loKWxJek',
    body: '{"test": 2432232314}',
    at: 1_614_265_330_000,
  }
  const headers = webhookHeaders(sent, ['whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw'])
  assert.equal(headers['webhook-signature'], 'v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=')
})

test('without a secret a webhook is not signed', () => {
  const headers = webhookHeaders({ id: 'a', body: '{}', at: 0 }, [])
  assert.deepEqual(Object.keys(headers), ['webhook-id', 'webhook-timestamp'])
})
