// Loads user scrapers from files into a registry with the built-in ones.
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
  for (const file of files) await addScraper(registry, file)
  return registry
}

/** A broken file must not stop jobs that do not use it. Jobs that use it fail with its error. */
export async function addScraper(registry: Registry, file: string): Promise<Scraper | null> {
  try {
    const scraper = await loadScraper(file)
    registry.add(scraper)
    return scraper
  } catch (error) {
    registry.broken.push({ file, failure: asFailure(error) })
    return null
  }
}

async function loadScraper(file: string): Promise<Scraper> {
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
      `${basename(file)}${lineOf(cause, file)} can't be loaded: ${asFailure(cause).message}`,
      { file },
      { cause },
    )
  }
}

/** `:12`, if the stack trace names a line of this file; otherwise empty. */
function lineOf(cause: unknown, file: string): string {
  const { href } = pathToFileURL(file)
  const stack = cause instanceof Error ? (cause.stack ?? '') : ''
  const at = stack.indexOf(`${href}:`)
  return at < 0 ? '' : `:${/^\d+/.exec(stack.slice(at + href.length + 1))?.[0] ?? '?'}`
}
