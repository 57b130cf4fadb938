// The registry: scrapers by id, and the nearest one when an id is unknown.
import { didYouMean } from '../lib/suggest.ts'
import { Failure } from '../model/failures.ts'
import { builtinScrapers } from './builtin/index.ts'
import type { Scraper } from './define-scraper.ts'

export class Registry {
  #byId = new Map<string, Scraper>()

  constructor(scrapers: readonly Scraper[] = []) {
    for (const scraper of [...builtinScrapers, ...scrapers]) this.add(scraper)
  }

  add(scraper: Scraper): void {
    const taken = this.#byId.get(scraper.id)
    if (taken && taken !== scraper)
      throw new Failure('input.invalid', `two scrapers are called "${scraper.id}"`, { id: scraper.id })
    this.#byId.set(scraper.id, scraper)
  }

  get(id: string): Scraper {
    const found = this.#byId.get(id)
    if (!found)
      throw new Failure(
        'scraper.unknown',
        `no scraper is called "${id}"${didYouMean(id, this.#byId.keys())}`,
        { id },
      )
    return found
  }

  list(): Scraper[] {
    return [...this.#byId.values()]
  }
}
