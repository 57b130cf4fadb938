// The files that a scraper is made of, and a hash over them: when one changes, what was said of the scraper lapses.
import { createHash } from 'node:crypto'
import { existsSync, globSync, readFileSync } from 'node:fs'
import { dirname, relative, resolve } from 'node:path'
import { goldenFolder } from './golden-cases.ts'

/** The file itself and what it imports from beside it; packages have versions of their own. */
export function sourceFilesOf(file: string, seen = new Set<string>()): string[] {
  if (seen.has(file) || !existsSync(file)) return [...seen]
  seen.add(file)
  for (const [, path] of readFileSync(file, 'utf8').matchAll(
    /(?:from|import)\s*\(?\s*['"](\.{1,2}\/[^'"]+)['"]/g,
  ))
    sourceFilesOf(resolve(dirname(file), path!), seen)
  return [...seen]
}

/** Over code and golden pages, by their places below the folder: moving the project changes nothing. */
export function contentHash(scrapersFolder: string, id: string, file: string): string {
  const golden = globSync('**/*.*', { cwd: goldenFolder(scrapersFolder, id) }).map(name =>
    resolve(goldenFolder(scrapersFolder, id), name),
  )
  const sum = createHash('sha256')
  for (const path of [...sourceFilesOf(file), ...golden].sort())
    sum
      .update(`${relative(scrapersFolder, path)}\0`)
      .update(readFileSync(path))
      .update('\0')
  return `sha256:${sum.digest('hex')}`
}
