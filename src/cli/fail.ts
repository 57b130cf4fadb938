// How the program ends when something went wrong: one clear line, and the right exit code.
import { asFailure, type Failure } from '../model/failures.ts'
import { exitCodes } from './exit-codes.ts'

const usageCodes = new Set(['input.invalid', 'scraper.unknown', 'feature.missing'])

export function endWith(error: unknown, json: boolean): void {
  const failure = asFailure(error)
  process.exitCode = usageCodes.has(failure.code) ? exitCodes.usage : exitCodes.error
  process.stderr.write(
    json ? `${JSON.stringify({ level: 'error', ...failure.toJSON() })}\n` : textOf(failure),
  )
}

/** A bug of ours shows its stack; everything else is told in one line. */
function textOf(failure: Failure): string {
  if (failure.code !== 'internal.bug') return `kscrape: ${failure.message}\n`
  const { cause } = failure
  return `kscrape: this is a bug in kscrape, please report it.\n${cause instanceof Error ? cause.stack : failure.message}\n`
}
