// The priority of a parser process. Linux has a priority per thread, and a thread inherits it from the thread that starts it.
import { readdirSync } from 'node:fs'
import { constants, setPriority } from 'node:os'

/** Priority of a process for which no caller waits. On a busy Linux machine it gets about a thirtieth of the time of an
 *  ordinary thread. With the lowest priority (19) it would get only a seventieth, and a page of one second would wait
 *  for more than a minute. */
export const lowPriority = 15
/** Priority of a process for which a caller waits. */
export const callerPriority = constants.priority.PRIORITY_BELOW_NORMAL

/** Lowers the priority of all threads of a process. A thread that starts at the same moment can be missed, so the process repeats
 *  this itself before its first page. */
export function lowerPriority(pid: number, priority: number): void {
  try {
    for (const thread of threadsOf(pid)) setPriority(thread, priority)
  } catch {
    // The process or the thread has already ended.
  }
}

function threadsOf(pid: number): number[] {
  return process.platform === 'linux' ? readdirSync(`/proc/${pid}/task`).map(Number) : [pid]
}
