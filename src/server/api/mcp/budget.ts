// Page budgets of MCP: the limit of one call, and the limit of a connection.
import { Failure } from '../../../model/failures.ts'

interface Limits {
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

  /** Reserves pages before they are fetched. Pages that fail also count. */
  take(pages: number): void {
    const { pagesPerCall, pagesPerConnection } = this.#limits
    if (pages > pagesPerCall)
      throw new Failure(
        'input.invalid',
        `${pages} pages are more than the limit per call (${pagesPerCall}; SCRAPER_MCP_PAGES_PER_CALL)`,
      )
    if (pages > this.left)
      throw new Failure(
        'request.too-many',
        `this connection may fetch ${pagesPerConnection} pages (SCRAPER_MCP_PAGES_PER_CONNECTION) and has ${this.left} left, fewer than the ${pages} requested; open a new connection, or request fewer`,
      )
    this.#used += pages
  }
}
