// Cron expressions: the next tick in a time zone, and errors for expressions that never match.
import { Cron } from 'croner'
import { Failure } from '../model/failures.ts'

export interface CronPlan {
  /** The first tick after a time, in epoch ms; null if there is none. */
  next(after: number): number | null
  /** The last tick at or before a time, in epoch ms; null if there is none. */
  latest(until: number): number | null
}

const fields = [
  ['second', 0, 59],
  ['minute', 0, 59],
  ['hour', 0, 23],
  ['day of month', 1, 31],
  ['month', 1, 12],
  ['day of week', 0, 7],
] as const

/** The nicknames of cron, except "@reboot", which does not name a time. */
const nicknames: Readonly<Record<string, string>> = {
  '@yearly': '0 0 1 1 *',
  '@annually': '0 0 1 1 *',
  '@monthly': '0 0 1 * *',
  '@weekly': '0 0 * * 0',
  '@daily': '0 0 * * *',
  '@midnight': '0 0 * * *',
  '@hourly': '0 * * * *',
}

const fieldsOf = (text: string): string => nicknames[text.trim().toLowerCase()] ?? text.trim()

/** Parses a cron expression. Throws `input.invalid` if the expression is invalid or never matches. */
export function parseCron(text: string, timeZone: string): CronPlan {
  refuseUnknownZone(timeZone)
  const parts = fieldsOf(text).split(/[ \t]+/)
  if (parts.length < 5 || parts.length > 6 || /[\r\n]/.test(text))
    throw invalid(
      text,
      `it takes five fields (minute, hour, day of month, month, day of week), or six with seconds in front, like "30 2 * * *"; or one of ${Object.keys(nicknames).join(', ')}`,
    )
  refuseOutOfRange(text, parts)
  const plan = planOf(text, parts, timeZone)
  if (plan.next(Date.now()) === null) throw invalid(text, 'there is no such day, so it would never run')
  return plan
}

function planOf(text: string, parts: string[], timeZone: string): CronPlan {
  const cron = cronOf(text, parts, timeZone)
  const namesHours = !parts.at(-4)!.startsWith('*')
  return {
    next(after) {
      for (let from = after; ; ) {
        const tick = cron.nextRun(new Date(from))?.getTime() ?? null
        // At the end of summer time, an hour occurs twice. Skip the second occurrence, so that a tick runs once.
        if (tick === null || !namesHours || !isSecondTime(tick, timeZone)) return tick
        from = tick
      }
    },
    latest: until => cron.previousRuns(1, new Date(until + 1))[0]?.getTime() ?? null,
  }
}

function cronOf(text: string, parts: string[], timezone: string): Cron {
  try {
    return new Cron(parts.join(' '), { timezone, mode: '5-or-6-parts', paused: true })
  } catch (cause) {
    const why = (cause as Error).message.replace(/^CronPattern: /, '').replace(/\.$/, '')
    throw invalid(text, why, { cause })
  }
}

/** Checks the ranges of numbers, to give clear messages. The cron package finds other errors. */
function refuseOutOfRange(text: string, parts: string[]): void {
  for (const [index, part] of parts.entries()) {
    const [name, least, most] = fields[index + fields.length - parts.length]!
    // The cron package replaces "?" with the current time, so the schedule would change after every restart.
    if (part.includes('?')) throw invalid(text, `${name} "${part}": write * for any`)
    for (const [number] of part.replace(/[/#]\d+/g, '').matchAll(/\d+/g))
      if (Number(number) < least || Number(number) > most)
        throw invalid(text, `${name} ${number} is not within ${least}–${most}`)
  }
}

const invalid = (text: string, why: string, options?: ErrorOptions): Failure =>
  new Failure('input.invalid', `cron: ${JSON.stringify(text)}: ${why}`, { path: 'cron' }, options)

function refuseUnknownZone(timeZone: string): void {
  try {
    offsetMs(0, timeZone)
  } catch (cause) {
    throw new Failure(
      'input.invalid',
      `time_zone: "${timeZone}" is not a time zone; write one like "Europe/Berlin" or "UTC"`,
      { path: 'time_zone' },
      { cause },
    )
  }
}

/** The longest clock change that is considered. */
const longestShiftMs = 3 * 3_600_000

/** Whether the local clock showed the same time before, because it was set back. */
function isSecondTime(tick: number, timeZone: string): boolean {
  const shiftMs = offsetMs(tick - longestShiftMs, timeZone) - offsetMs(tick, timeZone)
  return shiftMs > 0 && offsetMs(tick - shiftMs, timeZone) === offsetMs(tick, timeZone) + shiftMs
}

/** A time in ISO 8601 with the offset of the time zone: `2026-10-25T02:30:00+02:00`. */
export function zonedTime(at: number, timeZone: string): string {
  const offset = offsetMs(at, timeZone)
  const local = new Date(at + offset).toISOString().replace(/(\.000)?Z$/, '')
  const minutes = Math.abs(Math.round(offset / 60_000))
  const two = (value: number) => String(value).padStart(2, '0')
  return `${local}${offset < 0 ? '-' : '+'}${two(Math.floor(minutes / 60))}:${two(minutes % 60)}`
}

/** Local time minus UTC at a time, in ms. */
function offsetMs(at: number, timeZone: string): number {
  const parts = Object.fromEntries(
    formatOf(timeZone)
      .formatToParts(at)
      .map(({ type, value }) => [type, Number(value)]),
  )
  const { year, month, day, hour, minute, second } = parts as Record<string, number>
  const local = Date.UTC(year!, month! - 1, day, hour, minute, second)
  return local - Math.floor(at / 1_000) * 1_000
}

const formatOf = (timeZone: string): Intl.DateTimeFormat =>
  new Intl.DateTimeFormat('en-US', {
    timeZone,
    hourCycle: 'h23',
    ...{ year: 'numeric', month: 'numeric', day: 'numeric' },
    ...{ hour: 'numeric', minute: 'numeric', second: 'numeric' },
  })
