// `kscrape serve` as a separate process, with one workspace that crawls hostile pages and one whose job is ordinary.
import assert from 'node:assert/strict'
import { eventually } from '../support/eventually.ts'
import { type Running, Workplace } from '../system/run-cli.ts'
import { BombSite } from './bomb-site.ts'

const operatorKey = 'the-key-of-these-tests'
const unlimited = { policy: { host: { rate: 'unlimited', concurrency: 20 }, robots: 'ignore' } }

interface Outcome {
  state: string
  reason: string
}

export class BombedService implements AsyncDisposable {
  readonly site: BombSite
  readonly #place: Workplace
  readonly #running: Running
  readonly #url: string
  #keys: Record<'alpha' | 'beta', string> = { alpha: '', beta: '' }

  private constructor(site: BombSite, place: Workplace, running: Running, url: string) {
    this.site = site
    this.#place = place
    this.#running = running
    this.#url = url
  }

  static async open(env: Record<string, string> = {}): Promise<BombedService> {
    const site = await BombSite.open()
    const place = await Workplace.open()
    const port = site.place.split(':')[1]
    const running = place.start(['serve', '--port', '0', '--json'], {
      env: {
        ...{ SCRAPER_API_KEY: operatorKey, SCRAPER_LANES: '2', SCRAPER_RATE: 'unlimited' },
        SCRAPER_ALLOW_PRIVATE: `127.0.0.1:${port},localhost:${port}`,
        ...env,
      },
    })
    const greeting = () => running.stderr().match(/"url":"([^"]+)"/)?.[1]
    await Promise.race([
      eventually('the service prints its address', () => greeting() !== undefined),
      running.ended.then(({ stderr }) => Promise.reject(new Error(`serve ended: ${stderr}`))),
    ])
    const service = new BombedService(site, place, running, greeting()!)
    for (const workspace of ['alpha', 'beta'] as const) {
      const scopes = ['read', 'submit', 'admin']
      const { key } = await service.ask<{ key: string }>('/keys', { workspace, scopes }, operatorKey)
      service.#keys[workspace] = key
    }
    return service
  }

  get pid(): number {
    assert.equal(this.#running.child.exitCode, null, this.#running.stderr().slice(-2_000))
    assert.equal(this.#running.child.signalCode, null, this.#running.stderr().slice(-2_000))
    return this.#running.child.pid!
  }

  async ask<Body>(path: string, body?: unknown, key = this.#keys.alpha): Promise<Body> {
    const response = await fetch(`${this.#url}${path}`, {
      headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
      ...(body !== undefined && { method: 'POST', body: JSON.stringify(body) }),
    })
    return (await response.json()) as Body
  }

  /** Submits a job, waits for its end, and returns the outcome of each task. */
  async run(workspace: 'alpha' | 'beta', job: Record<string, unknown>): Promise<Map<string, Outcome>> {
    const key = this.#keys[workspace]
    const { job_id: id } = await this.ask<{ job_id: string }>('/jobs', { ...unlimited, ...job }, key)
    assert.ok(id)
    await (
      await fetch(`${this.#url}/jobs/${id}/events`, { headers: { authorization: `Bearer ${key}` } })
    ).text()
    const { items } = await this.ask<{ items: Array<{ url: string; status: string; reason: string }> }>(
      `/jobs/${id}/items?limit=1000`,
      undefined,
      key,
    )
    return new Map(items.map(({ url, status, reason }) => [url, { state: status, reason }]))
  }

  /** The records of a job over the ordinary pages, without values that differ from run to run. */
  async goodRecords(): Promise<string[]> {
    const key = this.#keys.beta
    const job = { ...unlimited, urls: this.site.goodUrls }
    const { job_id: id } = await this.ask<{ job_id: string }>('/jobs', job, key)
    const headers = { authorization: `Bearer ${key}` }
    await (await fetch(`${this.#url}/jobs/${id}/events`, { headers })).text()
    const text = await (await fetch(`${this.#url}/jobs/${id}/export?format=jsonl`, { headers })).text()
    const lines = text.trim().split('\n')
    return lines.map(line => JSON.stringify({ ...JSON.parse(line), fetched_at: null, _page: null })).sort()
  }

  /** Requests `/healthz` until it is stopped, and returns the duration of each response in ms. */
  async watchHealth(until: AbortSignal): Promise<number[]> {
    const times: number[] = []
    while (!until.aborted) {
      const startedAt = performance.now()
      const { status } = await fetch(`${this.#url}/healthz`)
      assert.equal(status, 200)
      times.push(performance.now() - startedAt)
      await new Promise(resolve => setTimeout(resolve, 50))
    }
    return times
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#place[Symbol.asyncDispose]()
    await this.site[Symbol.asyncDispose]()
  }
}
