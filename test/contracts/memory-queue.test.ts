// The queue in memory against the contract.
import { openMemoryQueue } from '../../src/adapters/memory/queue.ts'
import { queueContract } from './queue-contract.ts'

queueContract('memory', async options => openMemoryQueue(options))
