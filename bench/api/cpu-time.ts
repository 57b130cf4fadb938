// CPU time of a process with all its threads. What an answer costs of it is the same on a busy machine, where answers per second are not.
import { readFileSync } from 'node:fs'

/** Of Linux, for programs: a hundredth of a second. */
const tickMs = 10

export function cpuMs(pid: number): number {
  const afterName = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ').at(-1)!.split(' ')
  return (Number(afterName[11]) + Number(afterName[12])) * tickMs
}
