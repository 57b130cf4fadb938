// Tests the queue in memory against its contract.
import { openMemoryQueue } from '../../src/adapters/memory/queue.ts'
import { FakeClock } from '../../src/lib/clocks.ts'
import { queueContract } from './queue-contract.ts'

queueContract('memory', async ({ leaseMs }) => {
  const clock = new FakeClock()
  return { queue: openMemoryQueue({ clock, leaseMs }), pass: async ms => clock.advance(ms) }
})
