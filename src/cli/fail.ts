// How the program ends when something went wrong: one clear line, and the right exit code.
import { asFailure, type Failure, type FailureCode } from '../model/failures.ts'
import { exitCodes } from './exit-codes.ts'

/** The command, a file it names or a setting must be changed; nothing was started. */
const usageCodes = new Set<FailureCode>([
  'input.invalid',
  'scraper.unknown',
  'feature.missing',
  'address.refused',
  'job.exists',
])

export function endWith(error: unknown, json: boolean): void {
  const failure = asFailure(error)
  if (isClosedPipe(failure)) {
    process.exitCode = exitCodes.interrupted
    return
  }
  process.exitCode = usageCodes.has(failure.code) ? exitCodes.usage : exitCodes.error
  process.stderr.write(
    json ? `${JSON.stringify({ level: 'error', ...failure.toJSON() })}\n` : textOf(failure),
  )
}

/** Whoever read our stdout has seen enough; `… | head` is no error. */
export const isClosedPipe = (error: unknown): boolean => asFailure(error).details.code === 'EPIPE'

/** A bug of ours shows its stack; everything else is told in one line. */
function textOf(failure: Failure): string {
  if (failure.code !== 'internal.bug') return `kscrape: ${failure.message}\n`
  const { cause } = failure
  return `kscrape: this is a bug in kscrape, please report it.\n${cause instanceof Error ? cause.stack : failure.message}\n`
}
