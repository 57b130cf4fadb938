// The source files of a scraper, and their hash. A certificate lapses when the hash changes.
import { createHash, type Hash } from 'node:crypto'
import { existsSync, globSync, readFileSync, realpathSync } from 'node:fs'
import { dirname, join, relative, resolve } from 'node:path'
import { version } from '../../lib/user-agent.ts'
import type { Entry } from './catalogue.ts'
import { goldenFolder, shippedFolders } from './golden-cases.ts'

/** The sources of this program. A scraper in a checkout may import them by path. */
const programFolder = realpathSync(join(import.meta.dirname, '../..'))
const isProgram = (file: string): boolean => realpathSync(file).startsWith(`${programFolder}/`)

/** The file and the local files that it imports. Packages and this program are left out, because they have their own versions. */
export function sourceFilesOf(file: string, seen = new Set<string>()): string[] {
  if (seen.has(file) || !existsSync(file) || isProgram(file)) return [...seen]
  seen.add(file)
  for (const [, path] of readFileSync(file, 'utf8').matchAll(
    /(?:from|import)\s*\(?\s*['"](\.{1,2}\/[^'"]+)['"]/g,
  ))
    sourceFilesOf(resolve(dirname(file), path!), seen)
  return [...seen]
}

const builtinFolder = join(import.meta.dirname, '../../scraper/builtin')

/** The files of the built-in scrapers. */
export const builtinFiles = (): string[] =>
  globSync('*.{ts,js}', { cwd: builtinFolder })
    .filter(name => !/\.(test|d)\.ts$/.test(name))
    .map(name => join(builtinFolder, name))

/** A hash of code and golden pages. Paths are relative to the folder, so moving the project does not change it. */
export function contentHash(
  scrapersFolder: string,
  { scraper, file }: Pick<Entry, 'scraper' | 'file'>,
): string {
  const own = filesBelow(goldenFolder(scrapersFolder, scraper.id))
  const sum = createHash('sha256')
  // Built-in code changes only with the program, so hash the version of the program instead of the code.
  if (file === null) sum.update(`kscrape ${version}\0`)
  const shipped = file === null ? shippedFolders(scraper.id).flatMap(filesBelow) : []
  for (const path of [...(file === null ? [] : sourceFilesOf(file)), ...own].sort())
    addFile(sum, relative(scrapersFolder, path), path)
  for (const path of shipped.sort()) addFile(sum, relative(builtinFolder, path), path)
  return `sha256:${sum.digest('hex')}`
}

const filesBelow = (folder: string): string[] =>
  globSync('**/*.*', { cwd: folder }).map(name => resolve(folder, name))

const addFile = (sum: Hash, name: string, path: string): void =>
  void sum.update(`${name}\0`).update(readFileSync(path)).update('\0')
