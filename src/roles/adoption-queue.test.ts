// Tests the queue of jobs to adopt: each job is adopted once, and if the store was down, the adoption is retried.
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

test('a job that is already queued is not queued again', async () => {
  const { adoptions, tries } = openAdoptions()
  adoptions.soon('a')
  adoptions.soon('a')
  assert.equal(tries.length, 1)
  tries[0]!.resolve()
  await turns()
  adoptions.soon('a')
  assert.equal(tries.length, 2)
})

test('a job is retried if the store was down, and dropped if it cannot be loaded', async context => {
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
