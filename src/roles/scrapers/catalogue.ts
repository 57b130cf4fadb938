// All scrapers, built-in and user files, with their origin and certification.
import { join } from 'node:path'
import type { Scraper } from '../../scraper/define-scraper.ts'
import { type BrokenFile, Registry } from '../../scraper/registry.ts'
import { findAllGoldenCases, findGoldenCases, type GoldenCase } from './golden-cases.ts'
import { addScraper, findScraperFiles } from './scraper-files.ts'

export interface Entry {
  scraper: Scraper
  /** The file that defines the scraper; null for built-in scrapers. */
  file: string | null
}

export interface Catalogue {
  /** The user's folder `scrapers/`, which may not exist yet. */
  folder: string
  entries: Entry[]
  broken: readonly BrokenFile[]
  /** Throws for an unknown id and suggests the nearest known one. */
  get(id: string): Entry
  goldenCases(entry: Entry): GoldenCase[]
}

export async function openCatalogue(root: string): Promise<Catalogue> {
  const registry = new Registry()
  const files = new Map<Scraper, string>()
  for (const file of findScraperFiles(root)) {
    const scraper = await addScraper(registry, file)
    if (scraper) files.set(scraper, file)
  }
  const entryOf = (scraper: Scraper): Entry => ({ scraper, file: files.get(scraper) ?? null })
  const folder = join(root, 'scrapers')
  return {
    folder,
    entries: registry.list().map(entryOf),
    broken: registry.broken,
    get: id => entryOf(registry.get(id)),
    goldenCases: ({ scraper, file }) =>
      (file === null ? findAllGoldenCases : findGoldenCases)(folder, scraper.id),
  }
}
