// Loaded into a process by --import. Measures the longest block of its event loop, and writes two values in ms to a file that is
// named after the process id: the delay, and the CPU time of the main thread. On a busy machine only the CPU time is reliable.
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { monitorEventLoopDelay } from 'node:perf_hooks'
import { isMainThread } from 'node:worker_threads'

if (isMainThread && process.env.LOOP_FOLDER) {
  const file = join(process.env.LOOP_FOLDER, String(process.pid))
  const delay = monitorEventLoopDelay({ resolution: 5 })
  delay.enable()
  const cpuMs = () => {
    const { user, system } = process.threadCpuUsage()
    return (user + system) / 1_000
  }
  let [last, longest] = [cpuMs(), 0]
  setInterval(() => {
    const now = cpuMs()
    longest = Math.max(longest, now - last)
    last = now
  }, 5).unref()
  process.on('SIGUSR2', () => {
    delay.reset()
    longest = 0
  })
  setInterval(() => writeFileSync(file, `${delay.max / 1e6} ${longest}`), 500).unref()
}
