// Watches from outside how many rows a running job has read, and how much memory its process uses.
import { existsSync, readFileSync } from 'node:fs'
import { setTimeout as wait } from 'node:timers/promises'
import { openSqliteStore } from '../../src/adapters/sqlite/open.ts'
import { systemClock } from '../../src/lib/clocks.ts'
import type { Store } from '../../src/ports/store.ts'

export interface Sample {
  atMs: number
  rows: number
  memoryMb: number
  /** The CPU time of all threads of the process since its start. */
  cpuSeconds: number
}

const everyMs = 50

/** A sample every 50 ms, until the whole file is in the store. */
export async function watchIngest(path: string, jobId: string, processId: number): Promise<Sample[]> {
  await using store = await openWhenThere(path, jobId)
  const samples: Sample[] = []
  for (;;) {
    const { ingest } = (await store.jobs.get(jobId))!
    samples.push({ atMs: performance.now(), rows: ingest.rows, ...costSoFar(processId) })
    if (ingest.done) return samples
    await wait(everyMs)
  }
}

export async function tasksIn(path: string, jobId: string): Promise<number> {
  await using store = await openSqliteStore({ path, clock: systemClock, readOnly: true })
  return (await store.jobs.counts(jobId)).tasks
}

async function openWhenThere(path: string, jobId: string): Promise<Store> {
  for (;;) {
    const store = existsSync(path) ? await openIfReady(path) : null
    if (store !== null && (await store.jobs.get(jobId)) !== null) return store
    await store?.[Symbol.asyncDispose]()
    await wait(5)
  }
}

/** Null while the store has no tables yet. */
async function openIfReady(path: string): Promise<Store | null> {
  return await openSqliteStore({ path, clock: systemClock, readOnly: true }).catch(() => null)
}

function costSoFar(processId: number): Pick<Sample, 'memoryMb' | 'cpuSeconds'> {
  const status = readFileSync(`/proc/${processId}/status`, 'utf8')
  const memoryMb = Number(/VmRSS:\s+(\d+) kB/.exec(status)![1]) / 1_024
  // Fields start after the process name, which may contain spaces. User and system time are in hundredths of a second.
  const fields = readFileSync(`/proc/${processId}/stat`, 'utf8').split(') ')[1]!.split(' ')
  return { memoryMb, cpuSeconds: (Number(fields[11]) + Number(fields[12])) / 100 }
}

/** The time when the job had read this many rows, interpolated between two samples. */
export function reachedAtMs(samples: Sample[], rows: number): number {
  const after = samples.findIndex(sample => sample.rows >= rows)
  const [before, reached] = [samples[Math.max(0, after - 1)]!, samples[after]!]
  if (before.rows === reached.rows) return reached.atMs
  const share = (rows - before.rows) / (reached.rows - before.rows)
  return before.atMs + share * (reached.atMs - before.atMs)
}
