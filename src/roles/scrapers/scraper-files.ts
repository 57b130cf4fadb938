// Loads the scrapers that a user keeps in files, into a registry beside the built-in ones.
import { basename, join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { scraperNames } from '../../config/folder-files.ts'
import { offerOwnPackages } from '../../config/own-packages.ts'
import { asFailure, Failure } from '../../model/failures.ts'
import type { Scraper } from '../../scraper/define-scraper.ts'
import { Registry } from '../../scraper/registry.ts'

export const findScraperFiles = (root: string): string[] =>
  scraperNames(root).map(name => join(root, 'scrapers', name))

export async function loadScrapers(files: readonly string[]): Promise<Registry> {
  const registry = new Registry()
  for (const file of files) registry.add(await loadScraper(file))
  return registry
}

export async function loadScraper(file: string): Promise<Scraper> {
  const { default: scraper } = await importFile(file)
  if (typeof scraper?.id === 'string') return scraper
  throw new Failure(
    'input.invalid',
    `${basename(file)} defines no scraper: export default defineScraper({ … })`,
    { file },
  )
}

async function importFile(file: string): Promise<{ default?: Scraper }> {
  offerOwnPackages()
  try {
    return (await import(pathToFileURL(file).href)) as { default?: Scraper }
  } catch (cause) {
    throw new Failure(
      'input.invalid',
      `${basename(file)} can't be loaded: ${asFailure(cause).message}`,
      { file },
      { cause },
    )
  }
}
