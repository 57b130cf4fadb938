// The faults of the chaos gate, as the matrix in the reliability contract numbers them.
import type { Fault } from './fault.ts'
import {
  asked,
  leaderKilled,
  processorKilled,
  scaledToZero,
  sessionCut,
  workerKilled,
  workerStandsStill,
} from './process-faults.ts'
import {
  bucketWrong,
  commitCut,
  databaseGone,
  deliveredTwice,
  redisForgets,
  redisRestarted,
  streamMaimed,
} from './service-faults.ts'

export const faults: readonly Fault[] = [
  leaderKilled,
  workerKilled,
  processorKilled,
  workerStandsStill,
  deliveredTwice,
  redisRestarted,
  redisForgets,
  streamMaimed,
  databaseGone,
  commitCut,
  bucketWrong,
  asked,
  sessionCut,
  scaledToZero,
]
