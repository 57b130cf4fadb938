// The chaos gate with faults of Redis, PostgreSQL, S3, browsers and a single process: two rounds of each, in every variant.
import { gate, roundsOf } from './gate.ts'

gate(roundsOf(['F4', 'F6', 'F9', 'F11', 'F12', 'F13', 'F17', 'F18', 'F21'], 2))
