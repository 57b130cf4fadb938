// npm run load: sends requests to a running service at the rate of a profile, and reports the result. See docs/load-testing.md.
import { writeFileSync } from 'node:fs'
import { help, type Options, optionsOf } from './options.ts'
import { asJson, asText } from './report.ts'
import { run, type Shown } from './run.ts'
import { UsageError } from './usage-error.ts'

const exitCodes = { passed: 0, broken: 1, notTried: 2 }

async function main(): Promise<number> {
  const options = optionsOf(process.argv.slice(2), process.env)
  if (!options) {
    process.stdout.write(help)
    return exitCodes.passed
  }
  const stop = new AbortController()
  // An interrupted run still reports its results so far.
  process.once('SIGINT', () => stop.abort())
  process.once('SIGTERM', () => stop.abort())
  const report = await run(options, { progress: progressOf(options) }, stop.signal)
  if (process.stderr.isTTY && !options.quiet) process.stderr.write('\n')
  if (options.reportFile) writeFileSync(options.reportFile, asJson(report))
  process.stdout.write(options.json ? asJson(report) : asText(report))
  return report.passed ? exitCodes.passed : exitCodes.broken
}

/** One changing line on a terminal, and one line per ten seconds otherwise. */
function progressOf({ seconds, quiet }: Options): Shown['progress'] {
  let told = 0
  return (sent, inFlight) => {
    if (quiet) return
    const { isTTY } = process.stderr
    told += 1
    if (!isTTY && told % 10 !== 0) return
    const { all, dropped } = sent
    const line = [
      `${Math.round(sent.seconds)}/${Math.round(seconds)} s`,
      `${all.count} responses (${Math.round(all.count / sent.seconds)}/s)`,
      `${inFlight} in flight`,
      `p50 ${all.latency.atMostMs(0.5).toFixed(1)} ms`,
      `p99 ${all.latency.atMostMs(0.99).toFixed(1)} ms`,
      `${all.failed} errors`,
      ...(dropped > 0 ? [`${dropped} not sent`] : []),
    ].join('  ')
    process.stderr.write(isTTY ? `\r\u001b[K${line}` : `${line}\n`)
  }
}

try {
  process.exitCode = await main()
} catch (error) {
  if (!(error instanceof UsageError)) throw error
  process.stderr.write(`load: ${error.message}\n`)
  process.exitCode = exitCodes.notTried
}
