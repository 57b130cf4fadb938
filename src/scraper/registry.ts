// The registry: finds scrapers by id, and suggests the nearest one for an unknown id.
import { didYouMean } from '../lib/text/suggest.ts'
import { Failure } from '../model/failures.ts'
import { idsIn } from '../model/scraper-ids.ts'
import { browserConnection } from './builtin/browser-connection.ts'
import { builtinScrapers } from './builtin/index.ts'
import type { Scraper } from './define-scraper.ts'
import { oneOf } from './one-of.ts'

export interface BrokenFile {
  file: string
  failure: Failure
}

/** The id that a file is expected to define: `scrapers/shop.ts` defines `shop`. */
const nameOf = (file: string): string =>
  file
    .split(/[\\/]/)
    .at(-1)!
    .replace(/\.[cm]?[jt]s$/, '')

export class Registry {
  #byId = new Map<string, Scraper>()
  /** Files that could not be loaded. Only jobs that name a scraper of these files fail. */
  readonly broken: BrokenFile[] = []

  constructor(scrapers: readonly Scraper[] = []) {
    for (const scraper of [...builtinScrapers, ...scrapers]) this.add(scraper)
  }

  add(scraper: Scraper): void {
    const taken = this.#byId.get(scraper.id)
    if (taken && taken !== scraper)
      throw new Failure('input.invalid', `two scrapers are called "${scraper.id}"`, { id: scraper.id })
    this.#byId.set(scraper.id, scraper)
  }

  /** Finds a scraper. Also accepts `article+page`: several scrapers, of which each row names one. */
  get(id: string): Scraper {
    const ids = idsIn(id)
    return ids.length > 1 ? oneOf(ids.map(each => this.#one(each))) : this.#one(id)
  }

  /** Providers whose credentials the scraper uses; usually none. */
  providersOf(id: string): string[] {
    return idsIn(id).flatMap(each => this.#one(each).credentials ?? [])
  }

  #one(id: string): Scraper {
    // This scraper is not in the list of scrapers, because only the service submits jobs with it.
    if (id === browserConnection.id) return browserConnection
    const found = this.#byId.get(id)
    const own = this.broken.find(({ file, failure }) => failure.details.id === id || nameOf(file) === id)
    if (own && (!found || own.failure.details.id === id)) throw own.failure
    if (!found)
      throw new Failure(
        'scraper.unknown',
        `no scraper is called "${id}"${didYouMean(id, this.#byId.keys())}${this.#unloaded()}`,
        { id, path: 'scraper_id' },
      )
    return found
  }

  #unloaded(): string {
    return this.broken.map(({ failure }) => `; ${failure.message}`).join('')
  }

  list(): Scraper[] {
    return [...this.#byId.values()]
  }
}
