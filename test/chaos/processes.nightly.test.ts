// The chaos gate with faults of processes: two rounds of each fault, in every variant.
import { gate, roundsOf } from './gate.ts'

gate(roundsOf(['F1', 'F2', 'F3', 'F5', 'F8', 'F31', 'F33', 'F38'], 2))
