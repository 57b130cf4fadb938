// Tests that open responses end when their key is revoked.
import assert from 'node:assert/strict'
import { mock, test } from 'node:test'
import { type Caller, operatorKeyId } from '../../model/access.ts'
import { OpenResponses } from './open-responses.ts'

const caller = (keyId: string) => ({ keyId }) as Caller

/** Runs the timers and promises that one check of the keys needs. */
async function look(): Promise<void> {
  mock.timers.tick(500)
  for (let n = 0; n < 10; n++) await Promise.resolve()
}

test('open responses of a revoked or deleted key are ended; open responses of other keys continue', async () => {
  mock.timers.enable({ apis: ['setInterval'] })
  try {
    const keys = new Map<string, { revokedAt: number | null } | null | Error>([
      ['a', { revokedAt: null }],
      ['b', null],
      ['c', new Error('store is down')],
    ])
    using open = new OpenResponses({
      get: async id => {
        const found = keys.get(id)
        if (found instanceof Error) throw found
        return (found ?? null) as never
      },
    })
    const ended: string[] = []
    for (const id of ['a', 'b', 'c', operatorKeyId]) open.keep(caller(id), () => ended.push(id))
    const over = open.keep(caller('a'), () => ended.push('a, over'))
    await look()
    assert.deepEqual(ended, ['b'])
    over()
    keys.set('a', { revokedAt: 1 })
    ended.length = 0
    await look()
    assert.ok(ended.includes('a'))
    assert.ok(!ended.includes('a, over') && !ended.includes('c') && !ended.includes(operatorKeyId))
  } finally {
    mock.timers.reset()
  }
})
