// Finds the files that kscrape would load from a folder: settings, scrapers, variables. Loads nothing.
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { parseEnv } from 'node:util'

export const configNames = [
  'kscrape.config.ts',
  'kscrape.config.js',
  'kscrape.config.yaml',
  'kscrape.config.yml',
]

/** Files in `scrapers/` beside the config file, without tests and notes. */
export function scraperNames(root: string): string[] {
  const folder = join(root, 'scrapers')
  if (!existsSync(folder)) return []
  return readdirSync(folder)
    .filter(name => /\.(ts|js|mjs)$/.test(name) && !/\.(test|d)\.ts$/.test(name))
    .sort()
}

/** Whether `.env` has variables of kscrape. If not, it belongs to another program. */
export function hasOwnVariables(folder: string, isOurs: (name: string) => boolean): boolean {
  const path = join(folder, '.env')
  return existsSync(path) && Object.keys(parseEnv(readFileSync(path, 'utf8'))).some(isOurs)
}
