// Tests wires over a message bus that the test controls.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Bus } from '../ports/bus.ts'
import { openWire, type WireMessage } from './wire.ts'

/** Delivers messages at once, except those for which `drops` returns true. */
class LocalBus implements Bus {
  readonly #listeners = new Map<string, Set<(text: string) => void>>()
  drops: (text: string) => boolean = () => false

  async publish(topic: string, text: string): Promise<void> {
    if (!this.drops(text)) for (const heard of this.#listeners.get(topic) ?? []) heard(text)
  }

  async subscribe(topic: string, heard: (text: string) => void): Promise<() => void> {
    const listeners = this.#listeners.get(topic) ?? new Set()
    this.#listeners.set(topic, listeners.add(heard))
    return () => listeners.delete(heard)
  }

  async [Symbol.asyncDispose](): Promise<void> {}
}

class End {
  readonly texts: string[] = []
  readonly messages: WireMessage[] = []
  readonly reasons: string[] = []
  text = (text: string): void => void this.texts.push(text)
  told = (message: WireMessage): void => void this.messages.push(message)
  broken = (reason: string): void => void this.reasons.push(reason)
}

test('each end of a wire receives the messages of the other end in order, but not its own', async () => {
  const bus = new LocalBus()
  const [client, worker] = [new End(), new End()]
  const up = await openWire(bus, 'w', 'client', client)
  const down = await openWire(bus, 'w', 'worker', worker)
  down.tell({ say: 'hello' })
  up.send('one')
  up.send('two')
  down.send('three')
  assert.deepEqual(worker.texts, ['one', 'two'])
  assert.deepEqual([client.texts, client.messages], [['three'], [{ say: 'hello' }]])
  up.close()
  down.close()
})

test('a lost message breaks the wire, and later messages are not delivered', async () => {
  const bus = new LocalBus()
  const [client, worker] = [new End(), new End()]
  const up = await openWire(bus, 'w', 'client', client)
  const down = await openWire(bus, 'w', 'worker', worker)
  bus.drops = text => text.endsWith('lost')
  up.send('first')
  up.send('lost')
  up.send('third')
  assert.deepEqual(worker.texts, ['first'])
  assert.match(worker.reasons.join(), /was lost/)
  up.close()
  down.close()
})

test('messages count as unread until the other end has received them', async () => {
  const bus = new LocalBus()
  const [client, worker] = [new End(), new End()]
  const up = await openWire(bus, 'w', 'client', client)
  const taken = Promise.withResolvers<void>()
  const slow = Object.assign(worker, { text: () => taken.promise })
  const down = await openWire(bus, 'w', 'worker', slow)
  up.send('x'.repeat(300_000))
  const read = up.readBelow(1).then(() => 'read')
  assert.equal(up.unread, 300_000)
  assert.equal(await Promise.race([read, Promise.resolve('waits')]), 'waits')
  taken.resolve()
  assert.equal(await read, 'read')
  assert.equal(up.unread, 0)
  up.send('more')
  const over = up.readBelow(1)
  up.close()
  await over
  down.close()
})
