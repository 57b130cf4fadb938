// The load of the lanes, and the decision to start another lane.
import type { EventLoopUtilization } from 'node:perf_hooks'

export interface LaneLoad {
  /** For each lane, the part of the time in which its event loop was busy. */
  busy: readonly number[]
  /** How many cores the process uses when each lane has a core of its own: its lanes, main thread and V8's own threads. It is
   *  computed from CPU times, so other programs on the machine do not change it. */
  wantedCores: number
}

/** From this part on, a lane counts as fully busy. */
const fullyBusy = 0.9
/** With another lane, the process may use at most this multiple of the cores. Measured on two cores: with one lane, crawls with
 *  and without rules use 1.4 to 1.6 cores. A second lane then saves at most a tenth of the time, and costs 15 % more CPU time
 *  and 50 MB. */
const mostThen = 1.2

/** Whether the lanes are the bottleneck and enough cores are free for another one. */
export function needsAnotherLane({ busy, wantedCores }: LaneLoad, cores: number): boolean {
  const wantedThen = (wantedCores / busy.length) * (busy.length + 1)
  return busy.every(part => part >= fullyBusy) && wantedThen <= cores * mostThen
}

interface MeasuredLane {
  /** The CPU time of the thread until its last report. */
  readonly cpuMs: number
  /** Null if the thread does not run. */
  utilization(since?: EventLoopUtilization): EventLoopUtilization | null
}

/** A window ends when each lane has used this much CPU time. So small jobs never start a second lane, at any load of the machine. */
const windowCpuMs = 500

/** Measures the load of lanes from now on. */
export class LoadWindow {
  readonly #before = process.cpuUsage()
  readonly #lanes: Array<{ lane: MeasuredLane; cpuMs: number; loop: EventLoopUtilization | null }>

  constructor(lanes: readonly MeasuredLane[]) {
    this.#lanes = lanes.map(lane => ({ lane, cpuMs: lane.cpuMs, loop: lane.utilization() }))
  }

  /** The load since the start of the window; null while the window is open. */
  load(): LaneLoad | null {
    const used = this.#lanes.map(({ lane, cpuMs }) => lane.cpuMs - cpuMs)
    if (used.some(ms => ms < windowCpuMs)) return null
    const { user, system } = process.cpuUsage(this.#before)
    const lanesMs = used.reduce((sum, ms) => sum + ms, 0)
    return {
      busy: this.#lanes.map(({ lane, loop }) => lane.utilization(loop ?? undefined)?.utilization ?? 0),
      wantedCores: ((user + system) / 1_000 / lanesMs) * used.length,
    }
  }
}
