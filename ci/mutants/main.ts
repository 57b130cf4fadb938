// npm run mutants -- src/dispatch: breaks the code of a folder in small ways, and reports what no test notices.
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { type MutationReport, type MutationRun, runMutants } from './mutate.ts'
import { reportLines } from './report.ts'
import { type MutationKind, mutationKinds } from './sites.ts'

const root = join(import.meta.dirname, '../..')

const usage = `npm run mutants -- PATH…

Breaks the code of folders or files in small ways and reports the mutants that no test notices. The files on disk stay as they are.
A path is a folder (src/dispatch), a file, or FILE:LINE.

  --seed WORD        repeat the random order of an earlier run
  --minutes N        stop after N minutes (20)
  --sample N         try at most N mutants (all that the time allows)
  --jobs N           tests at the same time (1)
  --only KIND,…      ${mutationKinds.join(', ')}
  --tests WORD,…     also run the test files whose path contains WORD
  --json FILE        write the report as JSON, too`

function readRun(): { run: MutationRun; json: string | undefined } {
  const { values, positionals: paths } = parseArgs({
    allowPositionals: true,
    options: {
      seed: { type: 'string', default: String(Math.floor(Math.random() * 1e9)) },
      minutes: { type: 'string', default: '20' },
      sample: { type: 'string', default: 'Infinity' },
      jobs: { type: 'string', default: '1' },
      only: { type: 'string', default: mutationKinds.join(',') },
      tests: { type: 'string', default: '' },
      json: { type: 'string' },
      help: { type: 'boolean', default: false },
    },
  })
  if (values.help || paths.length === 0) {
    console.log(usage)
    process.exit(values.help ? 0 : 2)
  }
  const run: MutationRun = {
    ...{ root, paths, seed: values.seed, tell: line => console.log(line) },
    minutes: positive('--minutes', values.minutes),
    sample: positive('--sample', values.sample),
    jobs: positive('--jobs', values.jobs),
    kinds: kindsIn(values.only),
    tests: values.tests.split(',').filter(Boolean),
  }
  return { run, json: values.json }
}

function positive(flag: string, text: string): number {
  const value = Number(text)
  if (value > 0) return value
  throw new Error(`${flag} ${text} is not a number above 0`)
}

function kindsIn(text: string): MutationKind[] {
  const kinds = text.split(',') as MutationKind[]
  const unknown = kinds.find(kind => !mutationKinds.includes(kind))
  if (unknown === undefined) return kinds
  throw new Error(`--only ${unknown} is not a kind of mutation; use ${mutationKinds.join(', ')}`)
}

function keep(report: MutationReport, file: string): void {
  writeFileSync(file, `${JSON.stringify(report, null, 2)}\n`)
}

try {
  const { run, json } = readRun()
  const report = await runMutants(run)
  const sourceOf = (file: string) => readFileSync(join(root, file), 'utf8')
  for (const line of reportLines(report, run.seed, sourceOf)) console.log(line)
  if (json !== undefined) keep(report, json)
} catch (error) {
  console.error((error as Error).message)
  process.exitCode = 2
}
