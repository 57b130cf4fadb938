// Metrics of the load: jobs and tasks in the store, and tasks in flight per process.
import { Gauge, type Registry } from 'prom-client'
import { streams } from '../../model/cluster-messages.ts'
import type { BacklogCounts } from '../../ports/backlog.ts'
import type { Live, LiveMetrics, OpenGroup } from './group.ts'
import { inTime } from './in-time.ts'

/** Totals of the store. Several processes report the same values, so queries must use the maximum, not the sum. */
export const loadMetrics: OpenGroup = (registry, live) => {
  addGauge(registry, live, 'queue_depth', 'Tasks that wait', metrics => metrics.queueDepth)
  addGauge(registry, live, 'jobs_open', 'Jobs that have not ended', metrics => metrics.jobs)
  const help = 'Time until the next retry is due; 0 if no retry waits'
  addGauge(registry, live, 'next_retry_seconds', help, metrics => metrics.nextRetrySeconds)
  new Gauge({
    ...{ name: 'kscrape_tasks_by_state', registers: [registry], labelNames: ['state'] },
    help: 'Tasks of jobs that have not ended, by state',
    async collect() {
      const { tasks } = await live()
      this.reset()
      for (const [state, count] of Object.entries(tasks ?? {})) this.set({ state }, count)
    },
  })
  return undefined
}

/** Tasks by what they wait for. Each leader reports its own tasks, so the sum is the total. */
export const workMetrics: OpenGroup = (registry, live) => {
  addGauge(registry, live, 'tasks_due', 'Tasks in flight, or ready to start', metrics => metrics.work?.due)
  new Gauge({
    ...{ name: 'kscrape_tasks_waiting', registers: [registry], labelNames: ['reason'] },
    help: 'Tasks that may not start yet, by reason',
    async collect() {
      const { work } = await live()
      this.reset()
      for (const [reason, tasks] of Object.entries(work?.waiting ?? {})) this.set({ reason }, tasks)
    },
  })
  return undefined
}

export const inHandMetrics: OpenGroup = (registry, live) => {
  addGauge(registry, live, 'tasks_in_flight', 'Tasks in flight in this process', metrics => metrics.inFlight)
  return undefined
}

export const concurrencyMetrics: OpenGroup = (registry, live) => {
  addGauge(registry, live, 'concurrency_in_use', 'Tasks in flight at the same time', metrics =>
    Math.min(metrics.inFlight ?? 0, metrics.concurrency ?? 0),
  )
  addGauge(
    registry,
    live,
    'concurrency_limit',
    'Tasks that may be in flight at the same time',
    metrics => metrics.concurrency,
  )
  return undefined
}

export const backlogMetrics: OpenGroup = (registry, live) => {
  addByQueue(registry, 'backlog', 'Tasks that wait or run, by kind of work', async () =>
    (await live()).backlog?.(),
  )
  const help = 'Age of the oldest work that no worker has taken, by kind of work'
  addByQueue(registry, 'backlog_age_seconds', help, async () => (await live()).backlogAges?.())
  return undefined
}

/** Runnable work. Every leading coordinator reports the total, so queries must use the maximum, not the sum. */
export const runnableMetrics: OpenGroup = (registry, live) => {
  const help =
    'Tasks in progress, and tasks that politeness, hours and breakers allow within a minute, by kind of work'
  addByQueue(registry, 'runnable', help, async () => (await live()).runnable?.())
  return undefined
}

function addByQueue(
  registry: Registry,
  name: string,
  help: string,
  read: () => Promise<BacklogCounts | undefined>,
): void {
  new Gauge({
    ...{ name: `kscrape_${name}`, help, registers: [registry], labelNames: ['queue'] },
    async collect() {
      const known = await inTime(read(), undefined)
      this.reset()
      if (!known) return
      for (const [work, queue] of Object.entries(streams))
        this.set({ queue }, known[work as keyof BacklogCounts])
    },
  })
}

export const diskMetrics: OpenGroup = (registry, live) => {
  new Gauge({
    ...{ name: 'kscrape_disk_free_bytes', registers: [registry] },
    help: 'Free space on the disk of the data directory',
    async collect() {
      const { diskFree } = await live()
      const free = diskFree ? await inTime(diskFree(), null) : null
      if (free === null) this.remove()
      else this.set(free)
    },
  })
  return undefined
}

function addGauge(
  registry: Registry,
  live: Live,
  name: string,
  help: string,
  read: (metrics: Partial<LiveMetrics>) => number | undefined,
): void {
  new Gauge({
    ...{ name: `kscrape_${name}`, help, registers: [registry] },
    async collect() {
      const value = read(await live())
      if (value === undefined) this.remove()
      else this.set(value)
    },
  })
}
