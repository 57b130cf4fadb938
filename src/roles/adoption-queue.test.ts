// Jobs that are to be taken in hand: once at a time, and again while the store is away.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Failure, type FailureCode } from '../model/failures.ts'
import { AdoptionQueue } from './adoption-queue.ts'

const turns = async () => {
  for (let turn = 0; turn < 5; turn++) await new Promise(resolve => setImmediate(resolve))
}

function openAdoptions() {
  const tries: Array<PromiseWithResolvers<void>> = []
  const adoptions = new AdoptionQueue(() => {
    const attempt = Promise.withResolvers<void>()
    tries.push(attempt)
    return attempt.promise
  })
  const fail = async (code: FailureCode) => {
    tries.at(-1)!.reject(new Failure(code, 'no'))
    await turns()
  }
  return { adoptions, tries, fail }
}

test('a job that waits for its turn is not lined up a second time', async () => {
  const { adoptions, tries } = openAdoptions()
  adoptions.soon('a')
  adoptions.soon('a')
  assert.equal(tries.length, 1)
  tries[0]!.resolve()
  await turns()
  adoptions.soon('a')
  assert.equal(tries.length, 2)
})

test('a job whose store was away is tried again, and one that can’t be had is not', async context => {
  context.mock.timers.enable({ apis: ['setTimeout'] })
  const { adoptions, tries, fail } = openAdoptions()
  adoptions.soon('a')
  await fail('store.busy')
  context.mock.timers.tick(1_000)
  assert.equal(tries.length, 2)
  await fail('worker.stopping')
  context.mock.timers.tick(60_000)
  assert.equal(tries.length, 2)
})
