// All metrics and their reporting roles: groups for Prometheus, and a JSON summary.
import { collectDefaultMetrics, Registry } from 'prom-client'
import type { Events } from '../../model/events.ts'
import type { Metrics } from '../../server/parts.ts'
import { AnswerMetrics } from './answer-metrics.ts'
import { browserMetrics } from './browser-metrics.ts'
import { commitMetrics, usualSeconds } from './commit-metrics.ts'
import { jobMetrics, proxyMetrics, rowMetrics, webhookMetrics } from './event-metrics.ts'
import { Exemplars } from './exemplars.ts'
import type { Facts, Hearing, Live, OpenGroup } from './group.ts'
import { hostMetrics } from './host-metrics.ts'
import { inTime } from './in-time.ts'
import {
  backlogMetrics,
  concurrencyMetrics,
  diskMetrics,
  inHandMetrics,
  loadMetrics,
  runnableMetrics,
  workMetrics,
} from './load-metrics.ts'
import { openMetricsText, openMetricsType, wantsOpenMetrics } from './open-metrics.ts'
import { type ReportingRole, reportingRoles } from './reporting-roles.ts'
import { fetchMetrics, outcomeMetrics } from './request-metrics.ts'
import { Summary } from './summary.ts'

export type { LiveMetrics } from './group.ts'

const processMetrics: OpenGroup = register => {
  // Measure the event loop every 100 ms. The default of 10 ms would wake an idle process a hundred times a second.
  collectDefaultMetrics({ register, prefix: 'kscrape_', eventLoopMonitoringPrecision: 100 })
  return undefined
}

/** The roles that commit tasks. In a cluster, workers commit the tasks that a caller waits for. Processors commit all
 *  other tasks. */
const settlers: readonly ReportingRole[] = [
  'serve',
  'coordinator',
  'http-worker',
  'browser-worker',
  'processor',
]
const fetchers: readonly ReportingRole[] = ['serve', 'http-worker', 'browser-worker']
const leaders: readonly ReportingRole[] = ['serve', 'coordinator']

/** All groups, and the roles that report each. Other roles do not report the group, because they would always report
 *  zero. */
const groups: ReadonlyArray<{ by: readonly ReportingRole[]; open: OpenGroup }> = [
  { by: reportingRoles, open: processMetrics },
  { by: reportingRoles.filter(role => role !== 'api'), open: inHandMetrics },
  { by: fetchers, open: fetchMetrics },
  // Browser workers are not included, because the metrics of the browser pool contain their open pages.
  { by: ['serve', 'http-worker'], open: concurrencyMetrics },
  { by: settlers, open: outcomeMetrics },
  { by: settlers, open: commitMetrics },
  { by: leaders, open: jobMetrics },
  { by: leaders, open: workMetrics },
  { by: leaders, open: hostMetrics },
  { by: leaders, open: proxyMetrics },
  { by: leaders, open: webhookMetrics },
  { by: ['serve', 'ingest'], open: rowMetrics },
  { by: ['serve', 'browser-worker'], open: browserMetrics },
  { by: ['serve', 'api', 'coordinator'], open: loadMetrics },
  { by: ['api', 'coordinator'], open: backlogMetrics },
  { by: ['coordinator'], open: runnableMetrics },
  { by: ['serve'], open: diskMetrics },
]

export interface MetricsOptions {
  /** The roles of this process; metrics of other roles are not reported. */
  by?: readonly ReportingRole[]
  /** The metrics of the process that contains this component. They also report everything that is counted here. */
  within?: ServiceMetrics | undefined
}

export class ServiceMetrics implements Metrics {
  readonly #registry = new Registry()
  readonly #summary = new Summary()
  readonly #hearing: Hearing[]
  readonly #exemplars = new Exemplars()
  readonly #answers: AnswerMetrics | null
  readonly #within: ServiceMetrics | null
  readonly #metrics: Live
  /** The current values, read once per scrape for all metrics. */
  #looked: ReturnType<Live> | null = null

  constructor(metrics: Live, { by = ['serve'], within }: MetricsOptions = {}) {
    this.#metrics = metrics
    this.#within = within ?? null
    const own = within ? [] : groups.filter(group => group.by.some(role => by.includes(role)))
    const live: Live = () => (this.#looked ??= inTime(metrics(), {}))
    this.#hearing = own.flatMap(({ open }) => open(this.#registry, live) ?? [])
    const answers = !within && (by.includes('serve') || by.includes('api'))
    this.#answers = answers ? new AnswerMetrics(this.#registry, usualSeconds) : null
  }

  /** Handles an event of the engine. */
  hear<Name extends keyof Events>(name: Name, event: Events[Name]): void {
    this.#tell(name, event as Facts[Name])
  }

  #tell<Name extends keyof Facts>(name: Name, fact: Facts[Name]): void {
    if (this.#within) this.#within.#tell(name, fact)
    this.#exemplars.hear(name, fact)
    for (const hearing of this.#hearing) hearing[name]?.(fact)
  }

  /** Handles an event of another process. That process counts the event for Prometheus, so this process counts it only in the
   *  JSON summary. */
  heard(event: Events['task.settled']): void {
    this.#summary.settled(event)
  }

  ended(state: string, durationMs: number | null): void {
    this.#tell('job.ended', { state, durationMs })
    this.heardOfEnd(durationMs)
  }

  heardOfEnd(durationMs: number | null): void {
    this.#summary.ended(durationMs)
  }

  /** Average duration of a task in seconds; null before the first task has ended. */
  get averageTaskSeconds(): number | null {
    return this.#summary.averageTaskSeconds
  }

  answered(answer: Parameters<Metrics['answered']>[0]): void {
    if (this.#within) this.#within.answered(answer)
    this.#answers?.add(answer)
    this.#exemplars.answered(answer)
  }

  /** All metrics as text. If the client accepts it, in the OpenMetrics format with exemplars. */
  async text(accept?: string): Promise<{ type: string; body: string }> {
    if (this.#within) return this.#within.text(accept)
    this.#looked = null
    if (wantsOpenMetrics(accept)) {
      const metrics = await this.#registry.getMetricsAsJSON()
      return { type: openMetricsType, body: openMetricsText(metrics as never, this.#exemplars) }
    }
    return { type: this.#registry.contentType, body: await this.#registry.metrics() }
  }

  /** Name, help, type and labels of all metrics, for the docs. */
  async described(): Promise<Array<{ name: string; help: string; type: string; labels: string[] }>> {
    const metrics = await this.#registry.getMetricsAsJSON()
    return metrics.map(({ name, help, type }) => {
      const { labelNames = [] } = this.#registry.getSingleMetric(name) as { labelNames?: string[] }
      return { name, help, type: String(type), labels: labelNames }
    })
  }

  async json(): Promise<Record<string, unknown>> {
    return this.#summary.json(await this.#metrics())
  }
}
