// The room for scrapes: how many tasks of a workspace may be open before more are refused.
import { Failure } from '../../../model/failures.ts'
import type { Store } from '../../../ports/store.ts'

/** A scrape takes seconds: by then there is room again, unless the sites themselves are slow. */
const comeBackMs = 10_000

export class QueueRoom {
  readonly #jobs: Pick<Store['jobs'], 'load'>
  readonly #depth: number
  /** By workspace: tasks on their way into the store, so that those who come together do not all find the last place free. */
  readonly #arriving = new Map<string, number>()

  constructor(jobs: Pick<Store['jobs'], 'load'>, depth: number) {
    this.#jobs = jobs
    this.#depth = depth
  }

  /** Throws `queue.full` when so many more would be too many; to be let go once they are in the store. */
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
      `${open} scrapes have not ended, and there is room for ${this.#depth} (SCRAPER_QUEUE_DEPTH): ${count} more have to wait until some did`,
      { retryAfterMs: comeBackMs },
    )
  }
}
