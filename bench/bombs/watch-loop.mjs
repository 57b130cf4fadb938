// Loaded into a process by --import: writes the longest block of its event loop, in ms, into a file named after its id.
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { monitorEventLoopDelay } from 'node:perf_hooks'
import { isMainThread } from 'node:worker_threads'

if (isMainThread && process.env.LOOP_FOLDER) {
  const file = join(process.env.LOOP_FOLDER, String(process.pid))
  const delay = monitorEventLoopDelay({ resolution: 5 })
  delay.enable()
  process.on('SIGUSR2', () => delay.reset())
  setInterval(() => writeFileSync(file, String(delay.max / 1e6)), 500).unref()
}
