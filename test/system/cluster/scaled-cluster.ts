// A cluster as it is deployed: an API and a coordinator always run, and an autoscaler starts and stops all other roles.
import assert from 'node:assert/strict'
import { Prometheus } from '../../operations/prometheus.ts'
import { startTestSite, type TestSite } from '../../site/index.ts'
import { Autoscaler, type AutoscalerOptions, type ScaledRole } from '../../support/autoscaler.ts'
import { TestCluster, until } from '../../support/cluster.ts'
import { freePort } from '../../support/free-port.ts'

export class ScaledCluster implements AsyncDisposable {
  readonly cluster: TestCluster
  readonly site: TestSite
  readonly autoscaler: Autoscaler
  readonly url: string
  /** The metrics endpoint of the coordinator. */
  readonly healthUrl: string
  readonly #opened: AsyncDisposableStack

  private constructor(
    parts: Omit<ScaledCluster, 'ask' | 'post' | 'idle' | 'idleFetchers' | typeof Symbol.asyncDispose>,
    opened: AsyncDisposableStack,
  ) {
    this.cluster = parts.cluster
    this.site = parts.site
    this.autoscaler = parts.autoscaler
    this.url = parts.url
    this.healthUrl = parts.healthUrl
    this.#opened = opened
  }

  static async open(
    options: AutoscalerOptions = {},
    settings: Record<string, string> = {},
  ): Promise<ScaledCluster> {
    await using opened = new AsyncDisposableStack()
    const site = opened.use(await startTestSite())
    const cluster = opened.use(
      await TestCluster.open({ SCRAPER_ALLOW_PRIVATE: `${site.host}:${site.port}`, ...settings }),
    )
    const healthPort = await freePort()
    const front = await cluster.start(['api', 'coordinator'], { SCRAPER_HEALTH_PORT: String(healthPort) }, [
      '--port',
      '0',
    ])
    const url = /"url":"([^"]+)"/.exec(front.output())![1]!
    const healthUrl = `http://127.0.0.1:${healthPort}`
    const prometheus = opened.use(await Prometheus.start([{ role: 'coordinator', url: healthUrl }]))
    const autoscaler = opened.use(await Autoscaler.start(cluster, prometheus, options))
    return new ScaledCluster({ cluster, site, autoscaler, url, healthUrl }, opened.move())
  }

  ask(path: string, init: RequestInit = {}): Promise<Response> {
    const headers = { authorization: `Bearer ${this.cluster.env.SCRAPER_API_KEY}`, ...init.headers }
    return fetch(`${this.url}${path}`, { ...init, headers })
  }

  async post<Body>(path: string, body: unknown): Promise<Body> {
    const headers = { 'content-type': 'application/json' }
    const response = await this.ask(path, { method: 'POST', headers, body: JSON.stringify(body) })
    const text = await response.text()
    assert.ok(response.ok, `${path}: ${response.status} ${text}`)
    return JSON.parse(text) as Body
  }

  /** Like `idle`, but ignores processors: workers parse rendered and single pages themselves, so a processor may not be needed. */
  async idleFetchers(): Promise<ScaledRole[]> {
    return (await this.idle()).filter(role => role !== 'processor')
  }

  /** Waits until the autoscaler has stopped everything, and returns the roles that it had started. */
  async idle(): Promise<ScaledRole[]> {
    const { autoscaler } = this
    await until('every worker to be stopped', () => autoscaler.isAtRest).catch(error => {
      throw new Error(`${error.message}: ${JSON.stringify([...autoscaler.said])} ${autoscaler.trouble ?? ''}`)
    })
    const started = [...this.autoscaler.started].sort()
    this.autoscaler.forget()
    return started
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.#opened.disposeAsync()
  }
}
