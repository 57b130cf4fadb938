// CPU and memory of a process and all its descendants, browsers included, measured from outside.
import { readdirSync, readFileSync } from 'node:fs'

const ticksPerSecond = 100
const cpuEveryMs = 100
const memoryEveryMs = 500

interface Process {
  pid: number
  parent: number
  ticks: number
  startTime: string
}

export class ProcessTree implements Disposable {
  readonly #root: number
  /** The last seen CPU ticks, by process. */
  readonly #ticks = new Map<string, number>()
  readonly #timers: NodeJS.Timeout[]
  peakMemoryMb = 0

  constructor(root: number) {
    this.#root = root
    this.#timers = [
      setInterval(() => this.#count(), cpuEveryMs),
      setInterval(() => this.#weigh(), memoryEveryMs),
    ]
  }

  get cpuSeconds(): number {
    return [...this.#ticks.values()].reduce((sum, ticks) => sum + ticks, 0) / ticksPerSecond
  }

  #count(): Process[] {
    const members = descendants(this.#root)
    for (const { pid, startTime, ticks } of members) this.#ticks.set(`${pid} ${startTime}`, ticks)
    return members
  }

  #weigh(): void {
    const bytes = this.#count().reduce((sum, { pid }) => sum + proportionalKb(pid), 0) / 1_024
    this.peakMemoryMb = Math.max(this.peakMemoryMb, bytes)
  }

  [Symbol.dispose](): void {
    for (const timer of this.#timers) clearInterval(timer)
  }
}

function descendants(root: number): Process[] {
  const all = readdirSync('/proc').flatMap(name =>
    /^\d+$/.test(name) ? (readProcess(Number(name)) ?? []) : [],
  )
  const found = new Set([root])
  // When process ids wrap around, a child can have a smaller pid than its parent. So repeat until no new process is found.
  for (let size = 0; size !== found.size; ) {
    size = found.size
    for (const { pid, parent } of all) if (found.has(parent)) found.add(pid)
  }
  return all.filter(({ pid }) => found.has(pid))
}

function readProcess(pid: number): Process | null {
  const text = readProc(`${pid}/stat`)
  if (text === '') return null
  const fields = text.slice(text.lastIndexOf(')') + 2).split(' ')
  const ticks = Number(fields[11]) + Number(fields[12])
  return { pid, parent: Number(fields[1]), ticks, startTime: fields[19]! }
}

const proportionalKb = (pid: number): number =>
  Number(/^Pss:\s+(\d+)/m.exec(readProc(`${pid}/smaps_rollup`))?.[1] ?? 0)

function readProc(path: string): string {
  try {
    return readFileSync(`/proc/${path}`, 'utf8')
  } catch {
    return ''
  }
}
