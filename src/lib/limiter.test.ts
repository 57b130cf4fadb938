// The limiter runs a limited number of operations at a time.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Limiter } from './limiter.ts'

test('an operation waits until another one has ended, and an operation that starts then waits for its turn', async () => {
  const limiter = new Limiter(1)
  const started: string[] = []
  const first = Promise.withResolvers<void>()
  const start = (name: string, ends: Promise<void> = Promise.resolve()) =>
    limiter.run(async () => {
      started.push(name)
      await ends
    })

  const one = start('one', first.promise)
  const two = start('two')
  assert.deepEqual(started, ['one'])

  first.resolve()
  await one
  await Promise.all([two, start('three')])
  assert.deepEqual(started, ['one', 'two', 'three'])
})

test('an operation that fails makes room for the next one', async () => {
  const limiter = new Limiter(1)
  await assert.rejects(
    limiter.run(async () => Promise.reject(new Error('broken'))),
    /broken/,
  )
  assert.equal(await limiter.run(async () => 'next'), 'next')
})
