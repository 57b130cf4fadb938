// The chaos gate of `make test`: each of its faults once, in a small cluster.
import { gate } from './gate.ts'

gate(
  [
    { id: 'F1', way: 'before it replies' },
    { id: 'F2', way: 'at random' },
    { id: 'F3', way: 'one' },
    { id: 'F4', way: 'at random' },
    { id: 'F5', way: 'all' },
    { id: 'F6', way: 'at random' },
    { id: 'F7', way: 'worker.after_commit_before_ack' },
    { id: 'F8', way: 'at random' },
    { id: 'F9', way: 'copied' },
    { id: 'F11', way: 'at random' },
    { id: 'F12', way: 'FLUSHALL' },
    { id: 'F17', way: 'SIGKILL' },
    { id: 'F31', way: 'everyone' },
  ],
  'small',
)
