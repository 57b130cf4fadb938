// Measures the CPU time of child processes, each at the moment it ends.
import { readFileSync } from 'node:fs'

/** Linux reports process times in this unit on every architecture that we support. */
const ticksPerSecond = 100

export class ChildrenCpu {
  #seen = secondsOfEndedChildren()

  /** Returns the CPU seconds of the children that ended since the last call, including their own ended children. Null if the
   *  system does not report them. */
  take(): number | null {
    const now = secondsOfEndedChildren()
    if (now === null || this.#seen === null) return null
    const taken = now - this.#seen
    this.#seen = now
    return taken
  }
}

function secondsOfEndedChildren(): number | null {
  try {
    // The program's name, in parentheses, may contain spaces. The fields after it start with number 3.
    const fields = readFileSync('/proc/self/stat', 'utf8')
      .replace(/^.*\) /s, '')
      .split(' ')
    const [cutime, cstime] = [fields[13], fields[14]].map(Number)
    return (cutime! + cstime!) / ticksPerSecond
  } catch {
    return null
  }
}
