// The program as a user runs it after installing the package: built once, and started with the flags of its first line.
import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'

const root = join(import.meta.dirname, '..', '..')
const entry = join(root, 'bin', 'kscrape.js')
let isBuilt = false

export function kscrape(...args: string[]): string[] {
  if (!isBuilt) execFileSync(process.execPath, [join(root, 'ci', 'build.ts')], { stdio: 'inherit' })
  isBuilt = true
  return [process.execPath, ...flagsOf(readFileSync(entry, 'utf8')), entry, ...args]
}

/** `#!/usr/bin/env -S node --flag` → `--flag`. */
const flagsOf = (program: string): string[] => program.split('\n', 1)[0]!.split(/ node /)[1]?.split(' ') ?? []
