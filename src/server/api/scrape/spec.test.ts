// Tests the jobs that a scrape and a batch create.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { batchBody, scrapeBody } from './schemas.ts'
import { commonFieldsOf, specOf, targetsOf, timeoutMsOf } from './spec.ts'

const target = (change: object = {}) =>
  scrapeBody.parse({ url: 'https://a.example/', targetType: 'page', ...change })
const batch = (targets: object[], change: object = {}) =>
  batchBody.parse({
    targets: targets.map(one => ({ url: 'https://a.example/', targetType: 'page', ...one })),
    ...change,
  })

test('a scrape is a job with one item, and its timeout limits every step', () => {
  const spec = specOf([target()], { timeoutS: 1.2345 } as never)
  assert.equal(spec.items?.length, 1)
  assert.equal(spec.scraperId, 'page')
  assert.equal(timeoutMsOf({ timeoutS: 1.2345 } as never), 1_235)
  assert.deepEqual([spec.policy?.timeouts?.totalMs, spec.policy?.browser?.navigationMs], [1_235, 1_235])
  assert.equal(specOf([target()], { timeoutS: 60 } as never).policy?.browser?.navigationMs, 30_000)
})

test('only a synchronous caller sets a time limit for the response', () => {
  assert.equal(specOf([target()], { timeoutS: 10 } as never).policy?.answerWithinMs, undefined)
  assert.equal(specOf([target()], { timeoutS: 10 } as never, true).policy?.answerWithinMs, 9_500)
})

test('two targets with the same URL are two items; in a batch of several types, the input of each item names the type of its target', () => {
  const same = specOf([target(), target()], {} as never)
  assert.deepEqual(
    same.items?.map(({ itemId }) => itemId),
    ['target-1', 'target-2'],
  )
  const mixed = specOf([target(), target({ targetType: 'article' })], {} as never)
  assert.deepEqual(
    mixed.items?.map(({ input }) => (input as { target_type?: string }).target_type),
    ['page', 'article'],
  )
})

test('options of a batch apply to targets that have no options of their own', () => {
  const [one, two] = targetsOf(batch([{}, { options: { pii: 'keep' } }], { options: { pii: 'mask' } }))
  assert.deepEqual([one!.options?.pii, two!.options?.pii], ['mask', 'keep'])
})

test('targets of a batch may differ in rendering and input, and in nothing else', () => {
  commonFieldsOf(batch([{ options: { input: { a: 1 } } }, { options: { render: 'always' } }]))
  const refused = (path: string) => ({ code: 'input.invalid', details: { path } })
  assert.throws(
    () => commonFieldsOf(batch([{ timeoutS: 5 }, { timeoutS: 6 }])),
    refused('targets[1].timeout_s'),
  )
  assert.throws(
    () => commonFieldsOf(batch([{}, {}, { options: { headers: { a: 'b' } } }])),
    refused('targets[2].options'),
  )
})

test('the error for contradicting render options names the target', () => {
  const targets = [target(), target({ options: { render: 'never', waitFor: '.price' } })]
  assert.throws(() => specOf(targets, {} as never), {
    code: 'input.invalid',
    message: /targets\[1\]\.options\.render/,
  })
})
