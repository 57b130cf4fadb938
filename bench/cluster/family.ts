// CPU and memory of a process and its children, ended ones included.
import { readdirSync, readFileSync } from 'node:fs'

/** Fields start after the process name, which may contain spaces. Times are in hundredths of a second. */
function statOf(pid: number | string): number[] | null {
  try {
    const text = readFileSync(`/proc/${pid}/stat`, 'utf8')
    return text
      .slice(text.lastIndexOf(')') + 2)
      .split(' ')
      .map(Number)
  } catch {
    return null
  }
}

export const parentOf = (pid: number): number => statOf(pid)![1]!

/** CPU time in seconds, including that of ended children. */
export function familyCpu(pid: number): number {
  const own = statOf(pid)
  const children = readdirSync('/proc').flatMap(name => (/^\d+$/.test(name) ? [statOf(name)] : []))
  const alive = children.filter(stat => stat?.[1] === pid)
  const ticks = (stat: number[] | null) => (stat?.[11] ?? 0) + (stat?.[12] ?? 0)
  const gone = (own?.[13] ?? 0) + (own?.[14] ?? 0)
  return (ticks(own) + gone + alive.reduce((sum, stat) => sum + ticks(stat), 0)) / 100
}
