// Maps PostgreSQL errors to failures.
import { Failure, type FailureCode } from '../../model/failures.ts'

interface DatabaseError extends Error {
  code?: string
}

/** Matched by SQLSTATE class, https://www.postgresql.org/docs/current/errcodes-appendix.html, or by Node's error code. */
const meanings: Array<[RegExp, FailureCode, string]> = [
  [/^(53100|53200)$/, 'storage.full', 'free some space on the database server'],
  [/^(25006|57P0[123]|53300|55P03|57014)$/, 'store.busy', 'the operation is retried'],
  [/^(08|53|57)/, 'store.busy', 'the operation is retried'],
  [/^(28|3D)/, 'storage.failed', 'check user, password and database in DATABASE_URL'],
  [
    /^E(CONN|PIPE|TIMEDOUT|HOSTUNREACH|NOTFOUND|AI_AGAIN)/,
    'store.busy',
    'check DATABASE_URL, and that PostgreSQL runs',
  ],
]

const cutOff =
  /Connection terminated|Query read timeout|timeout exceeded when trying to connect|Client has encountered a connection error|Client was closed/

/** Returns a Failure for errors of the server. Other errors are bugs and are returned unchanged. */
export function asDatabaseFailure(error: unknown): unknown {
  if (error instanceof Failure || !(error instanceof Error)) return error
  const { code = '', message } = error as DatabaseError
  const found = meanings.find(([pattern]) => pattern.test(code))
  const [, meaning, wayOut] =
    found ?? (cutOff.test(message) ? ([null, 'store.busy', 'the operation is retried'] as const) : [])
  if (!meaning) return error
  const text = `PostgreSQL could not be used (${message || code}): ${wayOut}`
  return new Failure(meaning, text, { sqlState: code }, { cause: error })
}

/** Whether the error is a serialization failure or a deadlock. A retry of the transaction usually succeeds. */
export const collided = (error: unknown): boolean =>
  error instanceof Error && ['40001', '40P01'].includes((error as DatabaseError).code ?? '')
