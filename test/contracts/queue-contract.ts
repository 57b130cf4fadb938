// The contract of the queue. Every adapter must pass all of these tests.
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import type { Delivery, Queue } from '../../src/ports/queue.ts'

/** `pass` makes leases older by this time, on the clock of the backend. */
export type OpenQueue = (options: {
  leaseMs: number
}) => Promise<{ queue: Queue<string>; pass: (ms: number) => Promise<void> }>

/** Counts the objects that are still referenced after several garbage collections. */
async function afterCollecting(count: () => number): Promise<number> {
  setFlagsFromString('--expose-gc')
  const collect = runInNewContext('gc') as () => void
  for (let times = 0; times < 10 && count() > 1; times += 1) {
    await new Promise(resolve => setImmediate(resolve))
    collect()
  }
  return count()
}

const leaseMs = 60_000
const never = new AbortController().signal
const bodiesOf = (deliveries: Delivery<string>[]): string[] => deliveries.map(({ body }) => body)
const idsOf = (deliveries: Delivery<string>[]): string[] => deliveries.map(({ id }) => id)

export function queueContract(name: string, open: OpenQueue): void {
  async function fresh() {
    const { queue, pass } = await open({ leaseMs })
    return { queue, pass, [Symbol.asyncDispose]: () => queue[Symbol.asyncDispose]() }
  }

  describe(`the queue in ${name}`, () => {
    test('messages arrive in the order in which they were sent, and at most as many as requested', async () => {
      await using opened = await fresh()
      const { queue } = opened
      await queue.send(['a', 'b'])
      await queue.send(['c', 'd'])

      const first = await queue.receive(3, 0, never)
      await queue.send(['e'])
      const rest = await queue.receive(3, 0, never)

      assert.deepEqual(
        [bodiesOf(first), bodiesOf(rest)],
        [
          ['a', 'b', 'c'],
          ['d', 'e'],
        ],
      )
      assert.deepEqual(
        first.map(({ delivery }) => delivery),
        [1, 1, 1],
      )
      assert.equal(new Set(idsOf([...first, ...rest])).size, 5)
    })

    test('only one receiver gets a message at a time', async () => {
      await using opened = await fresh()
      const { queue } = opened
      await queue.send(['a', 'b', 'c', 'd'])

      const receivers = [queue.receive(1, 0, never), queue.receive(1, 0, never), queue.receive(9, 0, never)]

      const bodies = (await Promise.all(receivers)).flatMap(bodiesOf)
      assert.deepEqual(bodies.toSorted(), ['a', 'b', 'c', 'd'])
    })

    test('an acknowledged message is never delivered again', async () => {
      await using opened = await fresh()
      const { queue, pass } = opened
      await queue.send(['a'])
      await queue.ack(idsOf(await queue.receive(1, 0, never)))

      await pass(leaseMs)

      assert.deepEqual(await queue.receive(1, 0, never), [])
      assert.deepEqual(await queue.depth(), { waiting: 0, held: 0 })
    })

    test('a message whose lease expired is delivered again with a higher delivery count', async () => {
      await using opened = await fresh()
      const { queue, pass } = opened
      await queue.send(['a', 'b'])
      const [first] = await queue.receive(1, 0, never)

      await pass(leaseMs - 5_000)
      assert.deepEqual(bodiesOf(await queue.receive(9, 0, never)), ['b'])
      await pass(5_000)

      const [again] = await queue.receive(1, 0, never)
      assert.deepEqual([again?.body, again?.delivery, again?.id], ['a', 2, first?.id])
    })

    test('a lease that is extended in time does not expire', async () => {
      await using opened = await fresh()
      const { queue, pass } = opened
      await queue.send(['a', 'b'])
      const [kept] = await queue.receive(2, 0, never)

      await pass(leaseMs / 2)
      await queue.extend([kept!.id, 'nobody knows this one'])
      await pass(leaseMs / 2)

      assert.deepEqual(bodiesOf(await queue.receive(9, 0, never)), ['b'])
    })

    test('the depth of a queue counts waiting messages and leased messages separately', async () => {
      await using opened = await fresh()
      const { queue, pass } = opened
      await queue.send(['a', 'b', 'c'])
      await queue.receive(1, 0, never)
      assert.deepEqual(await queue.depth(), { waiting: 2, held: 1 })

      await pass(leaseMs)

      assert.deepEqual(await queue.depth(), { waiting: 3, held: 0 })
    })

    test('a waiting receiver gets a message as soon as one is sent', async () => {
      await using opened = await fresh()
      const { queue } = opened
      const waiting = queue.receive(2, 10_000, never)
      await queue.send(['a'])

      assert.deepEqual(bodiesOf(await waiting), ['a'])
    })

    test('a waiting receiver gets a message as soon as another receiver releases one', async () => {
      await using opened = await fresh()
      const { queue, pass } = opened
      await queue.send(['a'])
      await queue.receive(1, 0, never)
      const waiting = queue.receive(1, leaseMs * 2, never)

      await pass(leaseMs)

      assert.deepEqual(bodiesOf(await waiting), ['a'])
    })

    test('a wait for messages ends without a message when its time is over or the caller aborts it', async () => {
      await using opened = await fresh()
      const { queue, pass } = opened
      const abort = new AbortController()
      const inTime = queue.receive(1, 500, never)
      const aborted = queue.receive(1, 60_000, abort.signal)

      await pass(500)
      abort.abort()

      assert.deepEqual([await inTime, await aborted], [[], []])
      await queue.send(['a'])
      assert.deepEqual(await queue.receive(1, 0, abort.signal), [])
      assert.deepEqual(bodiesOf(await queue.receive(1, 0, never)), ['a'])
    })

    test('a message that has arrived is delivered at once, even if the receiver asked for more', async () => {
      await using opened = await fresh()
      const { queue } = opened
      const received: WeakRef<Delivery<string>>[] = []
      for (let n = 0; n < 20; n += 1) {
        const receiving = queue.receive(1, 10_000, never)
        await queue.send([`message ${n}`])
        const [delivery] = await receiving
        received.push(new WeakRef(delivery!))
        await queue.ack([delivery!.id])
      }

      const leftOf = await afterCollecting(() => received.filter(one => one.deref()).length)

      assert.ok(leftOf <= 1, `${leftOf} of 20 messages are still in memory`)
    })

    test('closing the queue ends the wait of receivers', async () => {
      const { queue } = await fresh()
      const waiting = queue.receive(1, 60_000, never)

      await queue[Symbol.asyncDispose]()

      assert.deepEqual(await waiting, [])
    })
  })
}
