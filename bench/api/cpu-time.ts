// CPU time of a process with all its threads. Unlike responses per second, the CPU time of a response does not depend on other
// work of the machine.
import { readFileSync } from 'node:fs'

/** Linux reports CPU time to programs in ticks of a hundredth of a second. */
const tickMs = 10

export function cpuMs(pid: number): number {
  const afterName = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ').at(-1)!.split(' ')
  return (Number(afterName[11]) + Number(afterName[12])) * tickMs
}
