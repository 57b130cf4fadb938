// Runs kscrape as users run the installed package: built once, with the Node flags of the first line (`#!`) of its script.
import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'

const root = join(import.meta.dirname, '..', '..')
const entry = join(root, 'bin', 'kscrape.js')
let isBuilt = false

export function kscrape(...args: string[]): string[] {
  build()
  const { variables, flags } = firstLine(readFileSync(entry, 'utf8'))
  return ['env', ...variables, process.execPath, ...flags, entry, ...args]
}

/** Builds the program once. With `--apart`, each module keeps its own file, because profiles name functions by their file. */
export function build(...flags: Array<'--apart'>): void {
  if (!isBuilt) execFileSync(process.execPath, [join(root, 'ci', 'build.ts'), ...flags], { stdio: 'inherit' })
  isBuilt = true
}

/** Parses `#!/usr/bin/env -S NAME=value node --flag` as the shell would. */
function firstLine(program: string): { variables: string[]; flags: string[] } {
  const words = program.split('\n', 1)[0]!.split(' ').slice(2)
  const node = words.indexOf('node')
  return { variables: words.slice(0, node), flags: words.slice(node + 1) }
}
