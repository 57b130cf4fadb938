// Loaded into every test file's process: ends it when its time is over, even when a loop without end holds the thread.
import { isMainThread, Worker } from 'node:worker_threads'

const watch = `
  const { workerData } = require('node:worker_threads')
  const { writeSync } = require('node:fs')
  setTimeout(() => {
    writeSync(2, workerData.message)
    process.kill(process.pid, 'SIGKILL')
  }, workerData.limitMs)
`

/** The runner loads this file too, and so do the threads of a test; both outlive no test file. */
const isTestFile = isMainThread && process.env.NODE_TEST_CONTEXT !== undefined

if (isTestFile) {
  const limitMs = Number(process.env.TEST_FILE_LIMIT_MS)
  const message = `\n${process.argv[1]} was ended: it ran longer than ${limitMs / 1_000} s\n`
  new Worker(watch, { eval: true, execArgv: [], workerData: { limitMs, message } }).unref()
}
