// The log of a service: JSON lines, or readable lines on a terminal. Secrets and personal data are removed first.
import { pino } from 'pino'
import { withoutSecrets } from '../lib/secrets/clean-url.ts'
import type { Redactor } from '../lib/secrets/redactor.ts'
import { cutMark } from '../lib/secrets/secret-forms.ts'
import { sensitivityOf } from '../lib/secrets/sensitive-names.ts'
import { cutControls } from '../lib/text/clean-text.ts'
import { type LogComponent, parseLogLevels } from '../lib/text/log-levels.ts'
import { Failure } from '../model/failures.ts'
import type { Json } from '../model/record.ts'
import { applyPii } from '../normalize/index.ts'
import type { Log } from '../server/parts.ts'

interface LogOptions {
  /** The level, and levels by component, in the format of `SCRAPER_LOG_LEVEL`. */
  level: string
  /** Secret values, which are removed from every line. */
  secrets: Redactor
  /** Whether to write readable lines instead of JSON. */
  isForPeople?: boolean
  write: (line: string) => void
}

export function openLog({ level, secrets, isForPeople = false, write }: LogOptions): Log {
  const clean = cleaner(secrets)
  const levels = parseLogLevels(level)
  const destination = { write: isForPeople ? (line: string) => write(lineForPeople(line)) : write }
  const options = {
    level: levels.usual,
    base: null,
    onChild: (child: Log & { bindings: () => { component?: LogComponent } }) => {
      const own = levels.of[child.bindings().component!]
      if (own) child.level = own
    },
    messageKey: 'message',
    timestamp: () => `,"timestamp":"${new Date().toISOString()}"`,
    // Every line has all id fields, so that a search by id works for every kind of line.
    mixin: (_fields: object, _level: number, logger: { bindings: () => object }) =>
      withoutBound(logger.bindings()),
    formatters: {
      level: (label: string) => ({ level: label }),
      log: (fields: Record<string, unknown>) => clean.fields(fields),
    },
    hooks: {
      logMethod(this: unknown, args: unknown[], method: (...args: never[]) => void) {
        const cleaned = args.map((arg, index) =>
          typeof arg === 'string' && index > 0 ? clean.text(arg) : arg,
        )
        method.apply(this as never, cleaned as never[])
      },
    },
  }
  return pino(options as never, destination) as unknown as Log
}

const ids = ['component', 'request_id', 'job_id', 'task_id', 'trace_id', 'span_id'] as const

/** Null for each id field that the logger does not set. If the log line sets the field, its value replaces the null. */
const withoutBound = (bound: object): Record<string, null> =>
  Object.fromEntries(ids.filter(name => !(name in bound)).map(name => [name, null]))

/** Maximum depth of logged values. Deeper values are left out; no log line of ours is that deep. */
const mostDepth = 6
/** Fields with text. The text may contain personal data from pages, which is removed. */
const wordy = new Set(['message', 'msg', 'error_reason', 'reason', 'target_url', 'url', 'detail', 'notice'])

function cleaner(secrets: Redactor) {
  const plain = (text: string): string => secrets.text(withoutSecrets(text))
  const text = (words: string): string => String(applyPii({ words: plain(words) }, 'mask').words ?? '')

  function value(name: string, given: unknown, depth: number): unknown {
    if (given instanceof Error) return errorFields(given)
    if (name !== 'key_id' && typeof given !== 'number' && sensitivityOf(name) !== null) return cutMark
    if (typeof given === 'string') return wordy.has(name) ? text(given) : plain(given)
    if (typeof given !== 'object' || given === null || depth > mostDepth) return given
    if (Array.isArray(given)) return given.map(entry => value(name, entry, depth + 1))
    return fields(given as Record<string, unknown>, depth + 1)
  }

  function fields(given: Record<string, unknown>, depth = 0): Record<string, unknown> {
    return Object.fromEntries(Object.entries(given).map(([name, entry]) => [name, value(name, entry, depth)]))
  }

  function errorFields(error: Error): Record<string, unknown> {
    const code = error instanceof Failure ? error.code : 'internal.bug'
    return { code, message: text(error.message), stack: plain(error.stack ?? '') }
  }

  return { text, fields }
}

/** Fields that a readable line leaves out or shows elsewhere. Ids that link lines are useful only for programs. */
const leftOut = new Set([
  ...['level', 'timestamp', 'message', 'err'],
  ...['component', 'request_id', 'trace_id', 'span_id'],
])

/** A readable line: `12:30:05 info  answered  method=POST status=202`. For a task it has the URL:
 *  `12:30:06 info  a task is done  https://…  120 ms  job.1`. */
function lineForPeople(line: string): string {
  const entry = JSON.parse(line) as Record<string, Json>
  const { err, level, message = '' } = entry
  const trouble = err && typeof err === 'object' && 'stack' in err ? `\n${String(err.stack)}` : ''
  const time = String(entry.timestamp).slice(11, 19)
  const parts = [cutControls(String(message)), ...(taskParts(entry) ?? otherParts(entry))]
  return `${time} ${String(level).padEnd(5)} ${parts.join('  ')}${trouble}\n`
}

function taskParts({ target_url, duration_ms, error_code, task_id }: Record<string, Json>): string[] | null {
  if (typeof target_url !== 'string' || typeof task_id !== 'string') return null
  const took = typeof duration_ms === 'number' ? [`${duration_ms} ms`] : []
  return [shown(target_url), ...took, ...(error_code ? [shown(error_code)] : []), task_id]
}

const otherParts = (entry: Record<string, Json>): string[] =>
  Object.entries(entry).flatMap(([name, value]) =>
    leftOut.has(name) || value === null ? [] : [`${name}=${shown(value)}`],
  )

const shown = (value: Json): string =>
  cutControls(typeof value === 'string' ? value : JSON.stringify(value)).replace(/\s+/g, ' ')
