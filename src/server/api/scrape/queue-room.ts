// The queue limit of scrapes: how many tasks of a workspace may be open.
import { Failure } from '../../../model/failures.ts'

/** Retry-After of a full queue. A scrape takes seconds, so some scrapes have usually ended after this time. */
const comeBackMs = 10_000

interface OpenTasks {
  load(filter: { workspace: string; face: 'scrape' }): Promise<{ tasks: number }>
}

export class QueueRoom {
  readonly #jobs: OpenTasks
  readonly #depth: number
  /** Tasks that are being stored, by workspace. Without this count, concurrent requests could all take the last place. */
  readonly #arriving = new Map<string, number>()

  constructor(jobs: OpenTasks, depth: number) {
    this.#jobs = jobs
    this.#depth = depth
  }

  /** Reserves places for tasks. Throws `queue.full` if they exceed the limit. Dispose the result when the tasks are stored. */
  async hold(workspace: string, count: number): Promise<Disposable> {
    this.#add(workspace, count)
    try {
      const { tasks } = await this.#jobs.load({ workspace, face: 'scrape' })
      if (tasks + this.#arriving.get(workspace)! > this.#depth) throw this.#full(tasks, count)
    } catch (error) {
      this.#add(workspace, -count)
      throw error
    }
    return { [Symbol.dispose]: () => this.#add(workspace, -count) }
  }

  #add(workspace: string, count: number): void {
    const left = (this.#arriving.get(workspace) ?? 0) + count
    if (left === 0) this.#arriving.delete(workspace)
    else this.#arriving.set(workspace, left)
  }

  #full(open: number, count: number): Failure {
    return new Failure(
      'queue.full',
      `${open} scrapes are open and the limit is ${this.#depth} (SCRAPER_QUEUE_DEPTH); retry ${count} more when some have ended`,
      { retryAfterMs: comeBackMs },
    )
  }
}
