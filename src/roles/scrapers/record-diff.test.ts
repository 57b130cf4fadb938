// Tests the differences between records: there are as few as possible, each with its path.
import assert from 'node:assert/strict'
import test from 'node:test'
import { differences } from './record-diff.ts'

test('equal records differ in nothing, whatever the order of their fields', () => {
  assert.deepEqual(differences({ a: 1, b: [{ c: null }] }, { b: [{ c: null }], a: 1 }), [])
})

test('each difference has the path of its value; a missing or additional value has only one side', () => {
  assert.deepEqual(
    differences(
      { name: 'a', offers: [{ price: 1 }], old: true },
      { name: 'a', offers: [{ price: 2 }, {}], fresh: [] },
    ),
    [
      { path: 'offers[0].price', expected: 1, actual: 2 },
      { path: 'offers[1]', actual: {} },
      { path: 'old', expected: true },
      { path: 'fresh', actual: [] },
    ],
  )
})

test('a value with another type is reported as one difference', () => {
  assert.deepEqual(differences([{ a: [1] }], [{ a: { 0: 1 } }]), [
    { path: '[0].a', expected: [1], actual: { 0: 1 } },
  ])
})
