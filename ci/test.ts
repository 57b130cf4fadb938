// Runs the tests. See docs/testing.md, or `npm test -- --help`.
import { globSync, readFileSync } from 'node:fs'
import { availableParallelism } from 'node:os'
import { join } from 'node:path'
import { ChildrenCpu } from './test/children-cpu.ts'
import { type Choice, choose, tierOf } from './test/choose.ts'
import { groupsOf } from './test/groups.ts'
import { joinProgram } from './test/join-program.ts'
import { openMemoryFolder } from './test/memory-folder.ts'
import { nightlyToRun } from './test/nightly.ts'
import { type Options, readOptions, usage } from './test/options.ts'
import { hasFailed, runAll } from './test/run-all.ts'
import { type FileRun, runFile, runGroup } from './test/run-file.ts'
import { summaryOf, writeReport } from './test/summary.ts'

const root = join(import.meta.dirname, '..')
const given = process.argv.slice(2)
/** The number of files that run at the same time, minus the number of cores. Many files, above all long ones, wait for timers
 *  and processes. With only one file per core, the cores would often be idle. */
const spareLanes = { quick: 2, long: 4, nightly: 2 }
/** The time limit for one file. The runner kills a file that takes longer. */
const limitMs = { quick: 600_000, long: 900_000, nightly: 1_800_000 }

const options = readOptions(given, () => Math.floor(Math.random() * 1_000_000))
if (given.includes('--help')) console.log(usage)
else if (typeof options === 'string') refuse(options)
else await main(options)

async function main(options: Options): Promise<void> {
  // Packages under test contain their own tests, which are left out.
  const patterns = ['src/**/*.test.ts', 'test/**/*.test.ts', 'ci/**/*.test.ts']
  const all = globSync(patterns, { cwd: root, exclude: ['**/node_modules/**'] }).sort()
  const nightly = options.withChanged
    ? nightlyToRun(root, all)
    : { files: [], why: '`make test-all` runs them.' }
  const choice = choose(all, options, nightly.files)
  if (choice.files.length > 0) return run(options, choice, nightly.why)
  refuse(`No test file has ${options.words.map(word => `"${word}"`).join(' or ')} in its path.`)
}

async function run(options: Options, { files, leftOut }: Choice, why: string): Promise<void> {
  const startedAt = performance.now()
  const { seed, flags, words } = options
  const stop = new AbortController()
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => leave(stop))
  const env = { ...(await joinProgram(root)), ...placeForFiles(options) }
  const how = { root, seed, flags, env, cpu: new ChildrenCpu(), signal: stop.signal }
  const live = files.length === 1 ? { show: (text: string) => process.stdout.write(text) } : {}
  // With a name pattern, each file runs alone, because the pattern would also have to match the suite of the file.
  const groups = flags.length > 0 ? files.map(file => [file]) : groupsOf(files, textOf)
  const outcome = await runAll(
    groups,
    availableParallelism() + spareLanes[options.tier],
    async group => {
      const [file] = group as [string]
      const one = { ...how, ...live, limitMs: limitMs[tierOf(file)] }
      return group.length === 1 ? [await runFile(file, one)] : await runGroup(group, one)
    },
    (one, isAgain) => {
      if (live.show === undefined) tell(one, isAgain, words.length > 0)
    },
  )
  const notRun = leftOut.length > 0 ? `Not run: ${leftOut.length} nightly files; ${why}` : ''
  const seconds = (performance.now() - startedAt) / 1_000
  writeReport(join(root, 'test-report'), outcome, seed, new Date())
  console.log(`\n${summaryOf(outcome, { seed, notRun, seconds })}`.trimEnd())
  if (outcome.runs.some(hasFailed)) process.exitCode = 1
}

/** Nightly runs use the disk, so that they also find what only a slow disk shows. */
function placeForFiles({ tier }: Options): Record<string, string> {
  const folder = tier === 'nightly' || process.env.TMPDIR ? null : openMemoryFolder()
  return folder === null ? {} : { TMPDIR: folder }
}

function textOf(file: string): string {
  return readFileSync(join(root, file), 'utf8')
}

function tell(run: FileRun, isAgain: boolean, isWhole: boolean): void {
  const failed = hasFailed(run)
  const cpu = run.cpuSeconds === null ? '' : `, CPU ${run.cpuSeconds.toFixed(1)} s`
  const how = `${run.results.length} tests, ${run.seconds.toFixed(1)} s${cpu}${isAgain ? ', run again alone' : ''}`
  console.log(`${failed ? '✖' : '✔'} ${run.file} (${how})`)
  if (failed || isWhole) console.log(run.output)
}

function leave(stop: AbortController): never {
  stop.abort()
  console.error('The test run was stopped.')
  process.exit(130)
}

function refuse(why: string): void {
  console.error(why)
  process.exitCode = 2
}
