// The chaos gate with the fault points of workers and processors: two rounds of each.
import { gate, roundsOf } from './gate.ts'

const points = roundsOf(['F7'], 2).filter(({ way }) => /^(worker|proc)\./.test(way))
gate([...points, ...points])
