// A JSON summary of the most important metrics.
import { RecentMap } from '../../lib/collections/recent-map.ts'
import type { Events } from '../../model/events.ts'
import type { LiveMetrics } from './group.ts'

/** Maximum number of domains with their own counts. Prometheus gets no counts by domain, because a label there must have
 *  few values. */
const mostDomains = 1_000

export class Summary {
  readonly #domains = new RecentMap<string, number>(mostDomains)
  readonly #shownDomains = new Set<string>()
  #sums = { tasks: 0, taskMs: 0, jobs: 0, jobMs: 0, completed: 0, failed: 0 }

  settled({ state, durationMs, url }: Events['task.settled']): void {
    this.#sums.tasks += 1
    this.#sums.taskMs += durationMs
    if (state === 'succeeded') this.#sums.completed += 1
    if (state === 'failed') this.#sums.failed += 1
    const domain = URL.parse(url)?.host
    if (domain) this.#countDomain(domain)
  }

  ended(durationMs: number | null): void {
    if (durationMs === null) return
    this.#sums.jobs += 1
    this.#sums.jobMs += durationMs
  }

  /** Average duration of a task in seconds; null before the first task has ended. */
  get averageTaskSeconds(): number | null {
    return average(this.#sums.taskMs, this.#sums.tasks)
  }

  json(metrics: Partial<LiveMetrics>): Record<string, unknown> {
    const { completed, failed, jobMs, jobs } = this.#sums
    return {
      activeBrowsers: metrics.activeBrowsers ?? 0,
      queueDepth: metrics.queueDepth ?? null,
      tasksCompleted: completed,
      tasksFailed: failed,
      avgTaskDuration: this.averageTaskSeconds,
      avgJobDuration: average(jobMs, jobs),
      concurrencyInUse: metrics.inFlight ?? 0,
      requestsPerDomain: this.#perDomain(),
    }
  }

  #countDomain(domain: string): void {
    this.#domains.set(domain, (this.#domains.get(domain) ?? 0) + 1)
    this.#shownDomains.add(domain)
    if (this.#shownDomains.size > 2 * mostDomains)
      for (const known of this.#shownDomains) if (!this.#domains.get(known)) this.#shownDomains.delete(known)
  }

  #perDomain(): Record<string, number> {
    const known = [...this.#shownDomains].flatMap(domain => {
      const count = this.#domains.get(domain)
      return count ? [[domain, count] as const] : []
    })
    return Object.fromEntries(known.sort((a, b) => b[1] - a[1]))
  }
}

const average = (sumMs: number, count: number): number | null =>
  count === 0 ? null : Math.round(sumMs / count) / 1_000
