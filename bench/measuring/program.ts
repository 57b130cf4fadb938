// The program as a user runs it from a checkout, without the shell in between.
import { join } from 'node:path'

const entry = join(import.meta.dirname, '..', '..', 'src', 'cli', 'run.ts')

export function kscrape(...args: string[]): string[] {
  return [process.execPath, '--disable-warning=ExperimentalWarning', entry, ...args]
}
