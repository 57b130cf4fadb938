// The everyday part of the chaos gate: one round of the faults that happen most.
import { gate } from './gate.ts'

gate([
  { id: 'F1', way: 'at random' },
  { id: 'F3', way: 'one' },
  { id: 'F8', way: 'at random' },
  { id: 'F12', way: 'FLUSHALL' },
  { id: 'F17', way: 'SIGKILL' },
  { id: 'F31', way: 'everyone' },
])
