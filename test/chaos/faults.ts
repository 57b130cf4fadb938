// The faults of the chaos gate, numbered as in the fault matrix.
import { browserWorkerKilled } from './browser-faults.ts'
import { apiKilled } from './client-faults.ts'
import { embeddedKilled } from './embedded.ts'
import type { Fault } from './fault.ts'
import { killPoints } from './kill-points.ts'
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
  apiKilled,
  leaderKilled,
  workerKilled,
  browserWorkerKilled,
  processorKilled,
  embeddedKilled,
  killPoints,
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
