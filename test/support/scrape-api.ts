// The scrape API of a real service, with a site that it can scrape.
import { startTestSite, type TestSite } from '../site/index.ts'
import { patienceMs } from './eventually.ts'
import { type Ask, TestService, type TestServiceOptions } from './service.ts'

export interface Envelope<Data = Record<string, unknown>> {
  success: boolean
  data: Data
  error: { code: string; message: string; details: Record<string, unknown> } | null
  request_id: string
}

export interface ShownTask {
  task_id: string
  job_id: string
  status: string
  url: string
  target_type: string
  result: Record<string, unknown> | null
  further_results: unknown[]
  notices: Array<{ code: string; message: string; fields?: string[] }>
  error: { code: string; message: string; details: { reason: string } } | null
  attempts: number
}

export interface ShownJob {
  job_id: string
  status: string
  total_tasks: number
  queued_tasks: number
  running_tasks: number
  completed_tasks: number
  failed_tasks: number
  cancelled_tasks: number
  progress: { completed: number; total: number }
  summary: { succeeded: number; failed: number; cancelled: number; errors: Record<string, number> }
}

export const uuid = /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/

export class ScrapeApi implements AsyncDisposable {
  readonly site: TestSite
  readonly service: TestService

  private constructor(site: TestSite, service: TestService) {
    this.site = site
    this.service = service
  }

  static async open({ settings, ...options }: TestServiceOptions = {}): Promise<ScrapeApi> {
    await using opened = new AsyncDisposableStack()
    const site = opened.use(await startTestSite())
    const allowPrivate = [`${site.host}:${site.port}`, ...((settings?.allowPrivate as string[]) ?? [])]
    const all = { rate: 'unlimited', ...settings, allowPrivate } as const
    const service = opened.use(await TestService.open({ ...options, settings: all }))
    const api = new ScrapeApi(site, service)
    await api.meet(site)
    opened.move()
    return api
  }

  /** Lets the service load the robots.txt of a site in advance, because the first tasks of the site would wait for it. */
  async meet({ url }: TestSite): Promise<void> {
    const body = { url: `${url}/`, target_type: 'page' }
    // A service that has just started on a busy machine may answer 503 for a moment.
    for (const until = Date.now() + patienceMs; ; ) {
      const { status, text, headers } = await this.ask('/sync', { body })
      if (status === 200) return
      if (!headers.has('retry-after') || Date.now() > until) throw new Error(`${status} ${text}`)
    }
  }

  ask<Data = Record<string, unknown>>(path: string, ask: Ask = {}) {
    return this.service.ask<Envelope<Data>>(`/api/v1/scrape${path}`, ask)
  }

  async task(taskId: string): Promise<ShownTask> {
    return (await this.ask<ShownTask>(`/${taskId}`)).body.data
  }

  async job(jobId: string): Promise<ShownJob> {
    return (await this.ask<ShownJob>(`/jobs/${jobId}`)).body.data
  }

  async results(jobId: string): Promise<ShownTask[]> {
    return (await this.ask<{ results: ShownTask[] }>(`/jobs/${jobId}/results`)).body.data.results
  }

  /** Submits a scrape, and throws if it is not accepted. */
  async scrape(body: Record<string, unknown>): Promise<{ task_id: string; job_id: string }> {
    return this.#accepted(await this.ask<{ task_id: string; job_id: string }>('', { body }))
  }

  async batch(targets: unknown[]): Promise<{ job_id: string; task_ids: string[]; total_tasks: number }> {
    return this.#accepted(
      await this.ask<{ job_id: string; task_ids: string[]; total_tasks: number }>('/batch', {
        body: { targets },
      }),
    )
  }

  #accepted<Data>({ status, body, text }: { status: number; body: Envelope<Data>; text: string }): Data {
    if (status !== 202) throw new Error(`${status} ${text}`)
    return body.data
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.service[Symbol.asyncDispose]()
    await this.site[Symbol.asyncDispose]()
  }
}
