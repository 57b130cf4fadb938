// Decides whether the current folder is trusted. Only then are its config, scrapers and .env loaded. Decisions are stored per
// folder.
import { existsSync, mkdirSync, readFileSync, realpathSync, renameSync, writeFileSync } from 'node:fs'
import { dirname } from 'node:path'
import { createInterface } from 'node:readline/promises'
import { configNames, hasOwnVariables, scraperNames } from '../config/folder-files.ts'
import { isKnownVariable, trustFile, trustsAll } from '../config/load.ts'
import { Failure } from '../model/failures.ts'

interface TrustOptions {
  folder: string
  /** Whether the command has the flag --trust. */
  flag: boolean
  /** Whether the command runs scrapers of the folder. */
  withScrapers: boolean
}

/** Throws if the folder has files to load and is not trusted. */
export async function trustFolder({ folder, flag, withScrapers }: TrustOptions): Promise<void> {
  const files = filesIn(folder, withScrapers)
  if (files.length === 0 || trustsAll()) return
  const path = realpathSync(folder)
  if (remembered().includes(path)) return
  if (flag || (await isAgreed(path, files))) return remember(path, files)
  throw untrusted(path, files)
}

/** Trusts a folder whose files this program has written. If the folder had other files before (`held`), it stays untrusted. */
export function trustOwnFolder(folder: string, held: readonly string[]): void {
  const path = realpathSync(folder)
  if (held.length === 0 && !remembered().includes(path)) remember(path, [])
}

export const filesIn = (folder: string, withScrapers = true): string[] => [
  ...configNames.filter(name => existsSync(`${folder}/${name}`)),
  ...(withScrapers ? scraperNames(folder).map(name => `scrapers/${name}`) : []),
  ...(hasOwnVariables(folder, isKnownVariable) ? ['.env'] : []),
]

const shown = (files: readonly string[]): string =>
  files.length > 5 ? `${files.slice(0, 5).join(', ')} and ${files.length - 5} more` : files.join(', ')

/** Asks the user whether to trust the folder. Without a terminal the user cannot be asked, so the folder stays untrusted. */
async function isAgreed(path: string, files: string[]): Promise<boolean> {
  if (!process.stdin.isTTY || !process.stderr.isTTY) return false
  using asking = createInterface({ input: process.stdin, output: process.stderr })
  const answer = await asking.question(
    `kscrape has not run in ${path} before. It would load ${shown(files)}, which can run any code as you.\nDo you trust this folder? [y/N] `,
  )
  return /^y(es)?$/i.test(answer.trim())
}

const untrusted = (path: string, files: string[]): Failure =>
  new Failure(
    'input.invalid',
    `${path} is not trusted, and this command would load ${shown(files)} from it: add --trust (remembered for this folder), or set SCRAPER_TRUST=on`,
    { path, files },
  )

function remembered(): string[] {
  try {
    const known: unknown = JSON.parse(readFileSync(trustFile(), 'utf8'))
    return Array.isArray(known) ? known.filter(each => typeof each === 'string') : []
  } catch {
    return []
  }
}

/** Stores the decision and prints it once. Later runs load the folder silently. */
function remember(path: string, files: string[]): void {
  const file = trustFile()
  mkdirSync(dirname(file), { recursive: true, mode: 0o700 })
  const aside = `${file}.${process.pid}`
  writeFileSync(aside, `${JSON.stringify([...new Set([...remembered(), path])], null, 2)}\n`, { mode: 0o600 })
  renameSync(aside, file)
  if (files.length > 0)
    process.stderr.write(
      `kscrape trusts ${path} from now on and loads ${shown(files)} (remembered in ${file})\n`,
    )
}
