// Finds import cycles. Each is returned once, as the files on its path.
import type { SourceFile } from './source-files.ts'

export function importCycles(files: readonly SourceFile[]): string[][] {
  const targets = new Map(files.map(file => [file.path, file.imports.flatMap(({ path }) => path ?? [])]))
  const done = new Set<string>()
  const way: string[] = []
  const found: string[][] = []

  function visit(path: string): void {
    const start = way.indexOf(path)
    if (start >= 0) return void found.push([...way.slice(start), path])
    if (done.has(path)) return
    way.push(path)
    for (const target of targets.get(path) ?? []) visit(target)
    way.pop()
    done.add(path)
  }

  for (const path of targets.keys()) visit(path)
  return found
}
