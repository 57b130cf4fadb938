// Runs the tests: npm test [-- WORD… FLAG…]. Words choose the files whose path holds one, flags go to node. Without words
// the long ones (*.long.test.ts) are left to `make test`, which asks for `--all`.
import { spawnSync } from 'node:child_process'
import { globSync } from 'node:fs'
import { availableParallelism } from 'node:os'
import { join } from 'node:path'

const root = join(import.meta.dirname, '..')
const given = process.argv.slice(2)
const isAll = given.includes('--all')
/** For one file with all its tests. The slowest ones run real processes against the test site, the long ones many times over. */
const fileLimitMs = isAll ? 900_000 : 300_000
const flags = given.filter(word => word.startsWith('-') && word !== '--all')
const words = given.filter(word => !word.startsWith('-'))

/** Packages of other people, driven by our tests, bring tests of their own. */
const exclude = ['**/node_modules/**']
const files = globSync(['src/**/*.test.ts', 'test/**/*.test.ts'], { cwd: root, exclude }).sort()
const everyday = files.filter(path => isAll || !path.endsWith('.long.test.ts'))
const chosen = words.length === 0 ? everyday : files.filter(path => words.some(word => path.includes(word)))

/** The developer's own settings are no part of what is tested. */
function environment(): NodeJS.ProcessEnv {
  const isSetting = (name: string) => name.startsWith('SCRAPER_') || name === 'KILLPOINT'
  const kept = Object.entries(process.env).filter(([name]) => !isSetting(name))
  return { TEST_FILE_LIMIT_MS: String(fileLimitMs), ...Object.fromEntries(kept) }
}

function run(): number {
  const { status } = spawnSync(
    process.execPath,
    [
      '--test',
      `--test-concurrency=${Math.max(2, availableParallelism())}`,
      `--import=${join(root, 'ci/test-deadline.ts')}`,
      `--test-reporter=${join(root, 'ci/test-reporter.ts')}`,
      '--test-reporter-destination=stdout',
      '--disable-warning=ExperimentalWarning',
      ...flags,
      ...chosen,
    ],
    { cwd: root, stdio: 'inherit', env: environment() },
  )
  return status ?? 1
}

if (chosen.length > 0) process.exitCode = run()
else {
  console.error(`No test file has ${words.map(word => `"${word}"`).join(' or ')} in its path.`)
  process.exitCode = 2
}
