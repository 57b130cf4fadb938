// The contract of the message bus. Every adapter must pass all of these tests.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Bus } from '../../src/ports/bus.ts'
import { eventually } from '../support/eventually.ts'

/** `open` returns two connected buses, as two processes or two threads have them. */
export function busContract(name: string, open: () => Promise<[Bus, Bus]>): void {
  test(`${name}: messages arrive in order at listeners in this process and in others, until a listener unsubscribes`, async () => {
    const [here, there] = await open()
    const heard = { here: [] as string[], there: [] as string[] }
    await here.subscribe('news', text => heard.here.push(text))
    const leave = await there.subscribe('news', text => heard.there.push(text))
    await there.subscribe('other', () => assert.fail('another topic'))
    const sent = Array.from({ length: 50 }, (_, index) => `message ${index} ${'x'.repeat(index * 1_000)}`)
    for (const text of sent) await here.publish('news', text)
    await eventually(
      'both listeners got all messages',
      () => heard.here.length === 50 && heard.there.length === 50,
    )
    assert.deepEqual(heard.there, sent)
    assert.deepEqual(heard.here, sent)
    leave()
    await here.publish('news', 'last')
    await eventually('the local listener got the message', () => heard.here.at(-1) === 'last')
    assert.equal(heard.there.length, 50)
    await Promise.all([here, there].map(bus => bus[Symbol.asyncDispose]()))
  })
}
