// Process groups: their members, their memory, and killing them. Reads /proc.
import { readdirSync, readFileSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'

/** Longest wait for a killed group. Processes end within milliseconds, except those in an uninterruptible system call. */
const goneWithinMs = 2_000
const lookEveryMs = 10

/** Kills all processes of the group. Returns true if the group existed. */
export function killGroup(pid: number): boolean {
  try {
    return process.kill(-pid, 'SIGKILL')
  } catch {
    return false
  }
}

/** Kills the group and waits until its processes have ended. Only then is its folder unused. */
export async function endGroup(pid: number): Promise<void> {
  const until = performance.now() + goneWithinMs
  while (killGroup(pid) && groupMembers(pid).length > 0 && performance.now() < until) await sleep(lookEveryMs)
}

/** Pids of a process group, without zombies. */
export function groupMembers(group: number): number[] {
  return allPids().filter(pid => {
    const stat = readStat(pid)
    return stat !== null && stat.group === group && stat.state !== 'Z'
  })
}

/** Memory of a process group, with shared memory counted once; null if the system does not report it. */
export function groupMemoryBytes(group: number): number | null {
  const sizes = groupMembers(group).flatMap(pid => proportionalBytes(pid) ?? [])
  return sizes.length === 0 ? null : sizes.reduce((sum, size) => sum + size, 0)
}

/** Identifies a process together with its pid, because a later process may get the same pid. */
export function startTimeOf(pid: number): string | null {
  return readStat(pid)?.startTime ?? null
}

export function groupOf(pid: number): number | null {
  return readStat(pid)?.group ?? null
}

/** The arguments of a process, joined by spaces. Some programs already replace the NUL separators by spaces. */
export function commandLineOf(pid: number): string {
  return (readProc(`${pid}/cmdline`) ?? '').replaceAll('\0', ' ')
}

export function allPids(): number[] {
  try {
    return readdirSync('/proc')
      .filter(name => /^\d+$/.test(name))
      .map(Number)
  } catch {
    return []
  }
}

function proportionalBytes(pid: number): number | null {
  const found = /^Pss:\s+(\d+) kB/m.exec(readProc(`${pid}/smaps_rollup`) ?? '')
  return found === null ? null : Number(found[1]) * 1_024
}

interface Stat {
  state: string
  group: number
  startTime: string
}

/** Parses the fields after the process name. The name is in parentheses and may contain any character. */
function readStat(pid: number): Stat | null {
  const text = readProc(`${pid}/stat`)
  if (text === null) return null
  const fields = text.slice(text.lastIndexOf(')') + 2).split(' ')
  return { state: fields[0]!, group: Number(fields[2]), startTime: fields[19]! }
}

function readProc(path: string): string | null {
  try {
    return readFileSync(`/proc/${path}`, 'utf8')
  } catch {
    return null
  }
}
