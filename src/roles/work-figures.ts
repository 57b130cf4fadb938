// The work itself in figures, from what the engine announces: requests, commits, hosts, browsers, webhooks.
import { Counter, Gauge, Histogram, type Registry } from 'prom-client'
import { TopCounts } from '../lib/top-counts.ts'
import type { Events } from '../model/events.ts'

/** Hosts that have a line of their own; all of them are in `/hosts`. */
const hostLines = 20
const requestSeconds = [0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60]
const commitSeconds = [0.001, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 5]
const commitSizes = [1, 4, 16, 64, 128, 256, 512, 1_024, 4_096]

export class WorkFigures {
  readonly #requests: Counter<'way' | 'outcome'>
  readonly #seconds: Histogram<'way'>
  readonly #bytes: Counter<'way'>
  readonly #commitSize: Histogram
  readonly #commitSeconds: Histogram
  readonly #throttled: Counter
  readonly #robots: Counter<'verdict'>
  readonly #webhooks: Counter<'outcome'>
  readonly #hosts = new TopCounts(hostLines)
  #pool: Events['browser.counted'] | null = null

  constructor(registry: Registry) {
    const registers = [registry]
    const counter = <Label extends string>(name: string, help: string, labelNames: Label[] = []) =>
      new Counter<Label>({ name: `kscrape_${name}`, help, labelNames, registers })
    const histogram = (name: string, help: string, buckets: number[]) =>
      new Histogram({ name: `kscrape_${name}`, help, buckets, registers })
    this.#requests = counter('requests_total', 'Pages that were asked for, by way and by what came of it', [
      'way',
      'outcome',
    ])
    this.#seconds = new Histogram<'way'>({
      ...{ name: 'kscrape_request_duration_seconds', help: 'How long pages took, by way', registers },
      ...{ buckets: requestSeconds, labelNames: ['way'] },
    })
    this.#bytes = counter('response_bytes_total', 'Bytes of pages that came, by way', ['way'])
    this.#commitSize = histogram('commit_tasks', 'Tasks that were committed together', commitSizes)
    this.#commitSeconds = histogram(
      'commit_duration_seconds',
      'How long the store took to commit a group',
      commitSeconds,
    )
    this.#throttled = counter('hosts_throttled_total', 'Times that a host asked us to slow down')
    this.#robots = counter('robots_read_total', 'robots.txt files that were asked for, by what came of it', [
      'verdict',
    ])
    this.#webhooks = counter('webhook_deliveries_total', 'Tries to deliver a webhook, by what came of it', [
      'outcome',
    ])
    this.#addHosts(registers)
    this.#addPool(registers)
  }

  hear<Name extends keyof Events>(name: Name, event: Events[Name]): void {
    const heard = this.#heard[name] as ((event: Events[Name]) => void) | undefined
    heard?.(event)
  }

  readonly #heard: { [Name in keyof Events]?: (event: Events[Name]) => void } = {
    'page.fetched': ({ host, way, outcome, bytes, ms }) => {
      this.#requests.inc({ way, outcome })
      this.#seconds.observe({ way }, ms / 1_000)
      this.#bytes.inc({ way }, bytes)
      this.#hosts.add(host)
    },
    'group.committed': ({ settlements, ms }) => {
      this.#commitSize.observe(settlements)
      this.#commitSeconds.observe(ms / 1_000)
    },
    'host.throttled': () => this.#throttled.inc(),
    'robots.read': ({ verdict }) => this.#robots.inc({ verdict }),
    'webhook.tried': ({ outcome }) => this.#webhooks.inc({ outcome }),
    'browser.counted': pool => {
      this.#pool = pool
    },
  }

  #addHosts(registers: Registry[]): void {
    const hosts = this.#hosts
    new Gauge({
      ...{
        name: 'kscrape_host_requests',
        help: `Pages asked of the ${hostLines} hosts asked most`,
        registers,
      },
      labelNames: ['host'],
      collect() {
        this.reset()
        for (const [host, count] of hosts.top()) this.set({ host }, count)
      },
    })
  }

  #addPool(registers: Registry[]): void {
    const gauge = (name: string, help: string, read: (pool: Events['browser.counted']) => number): void => {
      const pool = () => this.#pool
      new Gauge({
        ...{ name: `kscrape_browser_${name}`, help, registers },
        collect() {
          const now = pool()
          this.set(now ? read(now) : 0)
        },
      })
    }
    gauge('pages_open', 'Pages that are open in browsers', pool => pool.inUse)
    gauge('pages_free', 'Further pages that could be open', pool => pool.available)
    gauge('pages_loaded', 'Pages that browsers have loaded since the start', pool => pool.pagesProcessed)
    gauge(
      'replacements',
      'Browsers that another took the place of since the start',
      pool => pool.recycledCount,
    )
    gauge('memory_bytes', 'Memory of all browsers when they were last looked at', pool =>
      pool.browsers.reduce((sum, { memoryBytes }) => sum + (memoryBytes ?? 0), 0),
    )
  }
}
