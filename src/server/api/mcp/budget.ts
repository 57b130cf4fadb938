// Budgets: what one call may ask for, and what all calls of a connection may use up.
import { Failure } from '../../../model/failures.ts'

export interface Limits {
  pagesPerCall: number
  pagesPerConnection: number
}

export class Budget {
  readonly #limits: Limits
  #used = 0

  constructor(limits: Limits) {
    this.#limits = limits
  }

  get left(): number {
    return Math.max(0, this.#limits.pagesPerConnection - this.#used)
  }

  /** Sets pages aside before they are fetched: what was asked for counts, whatever comes of it. */
  take(pages: number): void {
    const { pagesPerCall, pagesPerConnection } = this.#limits
    if (pages > pagesPerCall)
      throw new Failure(
        'input.invalid',
        `${pages} pages are more than a call may ask for here (${pagesPerCall}; SCRAPER_MCP_PAGES_PER_CALL)`,
      )
    if (pages > this.left)
      throw new Failure(
        'request.too-many',
        `this connection may fetch ${pagesPerConnection} pages (SCRAPER_MCP_PAGES_PER_CONNECTION) and has ${this.left} left, fewer than the ${pages} that are asked for; connect anew, or ask for fewer`,
      )
    this.#used += pages
  }
}
