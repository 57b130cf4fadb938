// The chaos gate, faults of Redis, PostgreSQL and S3, of browsers and of one process alone: two rounds of each, and every way of it.
import { gate, roundsOf } from './gate.ts'

gate(roundsOf(['F4', 'F6', 'F9', 'F11', 'F12', 'F13', 'F17', 'F18', 'F21'], 2))
