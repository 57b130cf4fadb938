// Dependencies of every part of the store.
import type { Clock } from '../../ports/clock.ts'
import type { Connection } from './connection.ts'
import type { Names } from './names.ts'

export interface Parts {
  connection: Connection
  names: Names
  clock: Clock
}
