// The CPU time of another process.
import { readFileSync } from 'node:fs'

/** Linux counts CPU time in steps of 10 ms on all machines. */
const tickMs = 10

/** CPU time of all threads of the process in ms. Null if the process has ended, or if this is not Linux. */
export function cpuMsOf(pid: number): number | null {
  try {
    const line = readFileSync(`/proc/${pid}/stat`, 'utf8')
    // The second value is the name in parentheses, which may contain spaces.
    const values = line.slice(line.lastIndexOf(')') + 2).split(' ')
    return (Number(values[11]) + Number(values[12])) * tickMs
  } catch {
    return null
  }
}
