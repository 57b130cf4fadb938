// Ends the program after an error, with one clear line and the right exit code.
import { asFailure, type Failure, type FailureCode } from '../model/failures.ts'
import { exitCodes } from './exit-codes.ts'

/** Failures in the command line, in a file that it names, or in a setting. In these cases no job was started. */
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

/** Whether the reader of stdout has closed the pipe (`… | head`). That is not an error. */
export const isClosedPipe = (error: unknown): boolean => asFailure(error).details.code === 'EPIPE'

/** Only a bug prints a stack trace. Other failures print one line. */
function textOf(failure: Failure): string {
  if (failure.code !== 'internal.bug') return `kscrape: ${failure.message}\n`
  const { cause } = failure
  return `kscrape: this is a bug in kscrape, please report it.\n${cause instanceof Error ? cause.stack : failure.message}\n`
}
