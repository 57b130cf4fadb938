// Tests the message bus between the threads of one process.
import { openThreadBus } from '../../src/adapters/memory/bus.ts'
import { busContract } from './bus-contract.ts'

busContract('thread bus', async () => [openThreadBus('contract'), openThreadBus('contract')])
