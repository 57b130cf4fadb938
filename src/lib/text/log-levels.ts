// Parses log levels, global and by component: `info,fetch=debug,api=warn`.
import { didYouMean } from './suggest.ts'

const logLevels = ['error', 'warn', 'info', 'debug', 'silent'] as const
type LogLevel = (typeof logLevels)[number]

/** Components that write log lines. */
export const logComponents = {
  api: 'requests and responses',
  jobs: 'job states and notices',
  fetch: 'task outcomes and slow hosts',
  deliver: 'webhooks and sinks',
  schedules: 'runs of schedules',
  search: 'the full-text index',
  cluster: 'started roles and leader changes',
} as const
export type LogComponent = keyof typeof logComponents

interface LogLevels {
  usual: LogLevel
  of: Partial<Record<LogComponent, LogLevel>>
}

/** Throws an error that lists the known components and levels. */
export function parseLogLevels(text: string): LogLevels {
  const levels: LogLevels = { usual: 'info', of: {} }
  for (const part of text.split(',').map(part => part.trim())) {
    const [name, level] = part.includes('=') ? part.split('=', 2) : [null, part]
    if (name === null) levels.usual = known('level', level!, logLevels)
    else
      levels.of[known('component', name!, Object.keys(logComponents) as LogComponent[])] = known(
        'level',
        level!,
        logLevels,
      )
  }
  return levels
}

function known<Name extends string>(what: string, given: string, names: readonly Name[]): Name {
  if ((names as readonly string[]).includes(given)) return given as Name
  throw new Error(`"${given}" is not a ${what}${didYouMean(given, names)}; use one of ${names.join(', ')}`)
}
