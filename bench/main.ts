// Runs one benchmark by its name, with the flags that follow it: npm run bench -- static --pages 5000
import { spawnSync } from 'node:child_process'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'

const here = import.meta.dirname

function benchmarks(): string[] {
  const scripts = readdirSync(here).filter(name => name.endsWith('.ts') && name !== 'main.ts')
  return scripts.map(name => name.slice(0, -'.ts'.length)).sort()
}

/** The first line of a benchmark is a comment with the question that it answers. */
function questionOf(name: string): string {
  const [firstLine = ''] = readFileSync(join(here, `${name}.ts`), 'utf8').split('\n', 1)
  return firstLine.replace(/^\/\/ /, '')
}

const [name = '', ...flags] = process.argv.slice(2)

if (benchmarks().includes(name)) {
  const { status } = spawnSync(process.execPath, [join(here, `${name}.ts`), ...flags], { stdio: 'inherit' })
  process.exitCode = status ?? 1
} else {
  console.error('Usage: npm run bench -- NAME [flags]\n')
  for (const known of benchmarks()) console.error(`  ${known.padEnd(10)} ${questionOf(known)}`)
  process.exitCode = 2
}
