// What is measured: counters and histograms of the service, for Prometheus and as JSON.
import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client'
import { RecentMap } from '../lib/recent-map.ts'
import type { Events } from '../model/events.ts'
import type { ProxyState } from '../model/proxy.ts'
import type { BacklogFigures } from '../ports/backlog.ts'
import type { Metrics } from '../server/parts.ts'
import { AnswerFigures } from './answer-figures.ts'
import { WorkFigures } from './work-figures.ts'

/** Domains whose requests are told apart in the JSON; labels of Prometheus must stay few, so it has none of them. */
const mostDomains = 1_000
const seconds = [0.01, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 300]

/** What is asked for when someone looks. */
export interface LiveFigures {
  queueDepth: number
  inFlight: number
  jobs: number
  activeBrowsers: number
  proxies?: () => Promise<readonly ProxyState[]>
  /** What is left of the disk; nothing where pages are kept elsewhere. */
  diskFree?: () => Promise<number | null>
}

export class ServiceMetrics implements Metrics {
  readonly #registry = new Registry()
  readonly #figures: () => Promise<LiveFigures>
  readonly #domains = new RecentMap<string, number>(mostDomains)
  readonly #shownDomains = new Set<string>()
  readonly #tasks: Counter<'state'>
  readonly #taskSeconds: Histogram
  readonly #jobs: Counter<'state'>
  readonly #jobSeconds: Histogram
  readonly #answers: AnswerFigures
  readonly #records: Counter
  readonly #work: WorkFigures
  #sums = { tasks: 0, taskMs: 0, jobs: 0, jobMs: 0, completed: 0, failed: 0 }

  /** `backlog`: what waits or runs, by the kind of work; only in a cluster, whose roles are scaled by it. */
  constructor(figures: () => Promise<LiveFigures>, backlog?: () => Promise<BacklogFigures>) {
    this.#figures = figures
    const registers = [this.#registry]
    collectDefaultMetrics({ register: this.#registry, prefix: 'kscrape_' })
    const counter = <Label extends string>(name: string, help: string, labelNames: Label[] = []) =>
      new Counter<Label>({ name: `kscrape_${name}`, help, labelNames, registers })
    const histogram = (name: string, help: string) =>
      new Histogram({ name: `kscrape_${name}`, help, buckets: seconds, registers })
    this.#tasks = counter('tasks_total', 'Task attempts that ended, by the state they led to', ['state'])
    this.#taskSeconds = histogram('task_duration_seconds', 'How long task attempts took')
    this.#jobs = counter('jobs_total', 'Jobs that ended, by state', ['state'])
    this.#jobSeconds = histogram('job_duration_seconds', 'How long jobs took')
    this.#records = counter('records_total', 'Records that were committed')
    this.#answers = new AnswerFigures(this.#registry, seconds)
    this.#work = new WorkFigures(this.#registry)
    this.#addGauges(registers)
    if (backlog) addBacklog(registers, backlog)
  }

  #addGauges(registers: Registry[]): void {
    const gauge = (name: string, help: string, read: (figures: LiveFigures) => number): void => {
      const figures = this.#figures
      new Gauge({
        ...{ name: `kscrape_${name}`, help, registers },
        async collect() {
          this.set(read(await figures()))
        },
      })
    }
    gauge('queue_depth', 'Tasks that wait', figures => figures.queueDepth)
    gauge('tasks_in_flight', 'Tasks that run now', figures => figures.inFlight)
    gauge('jobs_open', 'Jobs that have not ended', figures => figures.jobs)
    gauge('browsers_active', 'Browsers that are up', figures => figures.activeBrowsers)
    addDisk(registers, async () => (await this.#figures()).diskFree?.() ?? null)
    addProxies(registers, async () => (await this.#figures()).proxies?.() ?? [])
  }

  /** What the engine announces. */
  hear<Name extends keyof Events>(name: Name, event: Events[Name]): void {
    this.#work.hear(name, event)
  }

  settled(event: Events['task.settled']): void {
    const { state, durationMs, records } = event
    this.#tasks.inc({ state })
    this.#taskSeconds.observe(durationMs / 1_000)
    this.#records.inc(records.length)
    this.heard(event)
  }

  /** Another process counts it for Prometheus, which adds all of them up; here it is only for whoever asks for JSON. */
  heard({ state, durationMs, url }: Events['task.settled']): void {
    this.#sums.tasks += 1
    this.#sums.taskMs += durationMs
    if (state === 'succeeded') this.#sums.completed += 1
    if (state === 'failed') this.#sums.failed += 1
    const domain = URL.parse(url)?.host
    if (domain) this.#countDomain(domain)
  }

  #countDomain(domain: string): void {
    this.#domains.set(domain, (this.#domains.get(domain) ?? 0) + 1)
    this.#shownDomains.add(domain)
    if (this.#shownDomains.size > 2 * mostDomains)
      for (const known of this.#shownDomains) if (!this.#domains.get(known)) this.#shownDomains.delete(known)
  }

  ended(state: string, durationMs: number | null): void {
    this.#jobs.inc({ state })
    if (durationMs !== null) this.#jobSeconds.observe(durationMs / 1_000)
    this.heardOfEnd(durationMs)
  }

  heardOfEnd(durationMs: number | null): void {
    if (durationMs === null) return
    this.#sums.jobs += 1
    this.#sums.jobMs += durationMs
  }

  /** Seconds; null before the first task ended. */
  get averageTaskSeconds(): number | null {
    return average(this.#sums.taskMs, this.#sums.tasks)
  }

  answered(answer: Parameters<Metrics['answered']>[0]): void {
    this.#answers.add(answer)
  }

  async text(): Promise<{ type: string; body: string }> {
    return { type: this.#registry.contentType, body: await this.#registry.metrics() }
  }

  /** For the docs: what there is, whatever was counted. */
  async described(): Promise<Array<{ name: string; help: string; type: string; labels: string[] }>> {
    const metrics = await this.#registry.getMetricsAsJSON()
    return metrics.map(({ name, help, type }) => {
      const { labelNames = [] } = this.#registry.getSingleMetric(name) as { labelNames?: string[] }
      return { name, help, type: String(type), labels: labelNames }
    })
  }

  async json(): Promise<Record<string, unknown>> {
    const figures = await this.#figures()
    const { completed, failed, jobMs, jobs } = this.#sums
    return {
      activeBrowsers: figures.activeBrowsers,
      queueDepth: figures.queueDepth,
      tasksCompleted: completed,
      tasksFailed: failed,
      avgTaskDuration: this.averageTaskSeconds,
      avgJobDuration: average(jobMs, jobs),
      concurrencyInUse: figures.inFlight,
      requestsPerDomain: this.#perDomain(),
    }
  }

  #perDomain(): Record<string, number> {
    const known = [...this.#shownDomains].flatMap(domain => {
      const count = this.#domains.get(domain)
      return count ? [[domain, count] as const] : []
    })
    return Object.fromEntries(known.sort((a, b) => b[1] - a[1]))
  }
}

/** By their names, which hold nothing secret and are as many as the operator has set up. */
function addProxies(registers: Registry[], read: () => Promise<readonly ProxyState[]>): void {
  const gauge = (name: string, help: string, value: (state: ProxyState) => number): void => {
    new Gauge({
      ...{ name: `kscrape_proxy_${name}`, help, registers, labelNames: ['proxy'] },
      async collect() {
        this.reset()
        for (const state of await read()) this.set({ proxy: state.name }, value(state))
      },
    })
  }
  gauge('healthy', 'Whether a proxy is used', ({ isHealthy }) => Number(isHealthy))
  gauge('successes', 'Tasks that a proxy brought an answer for', ({ successes }) => successes)
  gauge('failures', 'Tasks that were lost on the way through a proxy', ({ failures }) => failures)
}

function addDisk(registers: Registry[], read: () => Promise<number | null>): void {
  new Gauge({
    ...{ name: 'kscrape_disk_free_bytes', help: 'What is left of the disk of the data directory', registers },
    async collect() {
      const free = await read().catch(() => null)
      if (free === null) this.remove()
      else this.set(free)
    },
  })
}

function addBacklog(registers: Registry[], read: () => Promise<BacklogFigures>): void {
  new Gauge({
    ...{ name: 'kscrape_backlog', help: 'What waits or runs, by the kind of work', registers },
    labelNames: ['queue'],
    async collect() {
      const { http, browser, process, ingest } = await read()
      this.set({ queue: 'fetch.http' }, http)
      this.set({ queue: 'fetch.browser' }, browser)
      this.set({ queue: 'process' }, process)
      this.set({ queue: 'ingest' }, ingest)
    },
  })
}

const average = (sumMs: number, count: number): number | null =>
  count === 0 ? null : Math.round(sumMs / count) / 1_000
