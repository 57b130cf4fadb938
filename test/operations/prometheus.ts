// Runs Debian's Prometheus in its own folder. It scrapes our processes every second.
import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { stringify } from 'yaml'
import { found } from '../support/eventually.ts'
import { freePort } from '../support/free-port.ts'

export interface Sample {
  metric: Record<string, string>
  value: [at: number, value: string]
}

/** The metrics endpoint of a process. */
export interface Target {
  role: string
  url: string
  key?: string
}

/** Prometheus may need this long on a busy machine. */
const startMs = 60_000

export class Prometheus implements AsyncDisposable {
  readonly #url: string
  readonly #stop: () => Promise<void>

  private constructor(url: string, stop: () => Promise<void>) {
    this.#url = url
    this.#stop = stop
  }

  static async start(targets: readonly Target[]): Promise<Prometheus> {
    const folder = await mkdtemp(join(tmpdir(), 'kscrape-prometheus-'))
    const port = await freePort()
    const config = { global: { scrape_interval: '1s' }, scrape_configs: targets.map(scrapeOf) }
    await writeFile(join(folder, 'prometheus.yaml'), stringify(config))
    const child = spawn(
      'prometheus',
      [
        ...['--config.file=prometheus.yaml', '--storage.tsdb.path=data', '--enable-feature=exemplar-storage'],
        `--web.listen-address=127.0.0.1:${port}`,
      ],
      { cwd: folder, stdio: 'ignore' },
    )
    const ended = new Promise<void>(resolve => child.once('close', () => resolve()))
    const stop = async () => {
      child.kill('SIGKILL')
      await ended
      await rm(folder, { recursive: true, force: true })
    }
    const prometheus = new Prometheus(`http://127.0.0.1:${port}`, stop)
    await found('Prometheus', () => prometheus.#isReady(), startMs).catch(async error => {
      await stop()
      throw error
    })
    return prometheus
  }

  #isReady(): Promise<true | undefined> {
    return fetch(`${this.#url}/-/ready`).then(
      answer => answer.ok || undefined,
      () => undefined,
    )
  }

  async ask(query: string): Promise<Sample[]> {
    const data = await this.#get<{ result: Sample[] }>('query', { query })
    return data.result
  }

  /** Waits for the first value. If a scrape takes longer than a second, all values are missing until the next scrape. */
  async figure(query: string): Promise<number> {
    const { value } = await found(`a value of ${query}`, async () => (await this.ask(query))[0])
    return Number(value[1])
  }

  /** Every metric that a role exports. */
  namesOf(role: string): Promise<string[]> {
    return this.#get('label/__name__/values', { 'match[]': `{role="${role}"}` })
  }

  /** The labels of the exemplars of a metric. They contain the trace id. */
  async exemplarsOf(metric: string): Promise<Array<Record<string, string>>> {
    const found = await this.#get<Array<{ exemplars: Array<{ labels: Record<string, string> }> }>>(
      'query_exemplars',
      { query: metric, start: '0', end: String(Date.now() / 1_000 + 60) },
    )
    return found.flatMap(({ exemplars }) => exemplars.map(({ labels }) => labels))
  }

  async #get<Data>(what: string, asked: Record<string, string>): Promise<Data> {
    const answer = await fetch(`${this.#url}/api/v1/${what}?${new URLSearchParams(asked)}`)
    const body = (await answer.json()) as { status: string; error?: string; data: Data }
    assert.equal(body.status, 'success', `${Object.values(asked)}: ${body.error}`)
    return body.data
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.#stop()
  }
}

const scrapeOf = ({ role, url, key }: Target) => ({
  job_name: role,
  ...(key && { authorization: { credentials: key } }),
  static_configs: [{ targets: [new URL(url).host], labels: { role } }],
})
