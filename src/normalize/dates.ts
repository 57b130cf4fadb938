// Dates and times as pages write them → ISO 8601.
import { monthOf } from './month-names.ts'
import { latinDigits } from './numbers.ts'
import { findTime, type TimeOfDay } from './times-of-day.ts'

export interface DateHints {
  language?: string | null
}

/** Reduced precision is kept: month 0 means only the year is known, day 0 only year and month. */
interface Day {
  year: number
  month: number
  day: number
}

/**
 * ISO 8601: a day ("2024-03-05"), a month ("2024-03"), a year, a local time ("2024-03-05T10:30:00") or, when the text names
 * a zone, the moment in UTC ("2024-03-05T09:30:00.000Z"). Null when no date can be read; a date without a year is none.
 *
 * "03/04/2024" is 3 April, except on pages in English without a region or of the United States, where it is March 4.
 * With dots it is always day first. A number over 12 settles it either way.
 */
export function parseDate(text: string, hints: DateHints = {}): string | null {
  const latin = latinDigits(text).trim()
  if (/^\d{10}(?:\d{3})?$/.test(latin)) return fromEpoch(latin)
  const day = findDay(latin, hints)
  if (day === null || !isRealDay(day)) return null
  const time = day.day === 0 ? null : findTime(latin)
  return time === null ? formatDay(day) : formatMoment(day, time)
}

function fromEpoch(digits: string): string {
  return new Date(Number(digits) * (digits.length === 10 ? 1000 : 1)).toISOString()
}

const yearFirst = /(?<!\d)(\d{4})(?:\s*[-/.年년]\s*)(\d{1,2})(?:(?:\s*[-/.月월]\s*)(\d{1,2}))?(?!\d)/
const compact = /^(\d{4})(\d{2})(\d{2})(?:T\d{4,6}|$)/
const numeric = /(?<!\d)(\d{1,2})\s?([-/.])\s?(\d{1,2})\s?\2\s?(\d{4}|\d{2})(?!\d)/
const yearAlone = /^\D{0,3}((?:19|20)\d{2})\D{0,3}$/

function findDay(text: string, hints: DateHints): Day | null {
  const iso = compact.exec(text) ?? yearFirst.exec(text)
  if (iso !== null) return { year: Number(iso[1]), month: Number(iso[2]), day: Number(iso[3] ?? 0) }
  const figures = numeric.exec(text)
  if (figures !== null) return fromFigures(figures, hints)
  const named = fromNames(text, hints)
  if (named !== null) return named
  const alone = yearAlone.exec(text)
  return alone === null ? null : { year: Number(alone[1]), month: 0, day: 0 }
}

function fromFigures(found: RegExpExecArray, hints: DateHints): Day {
  const first = Number(found[1])
  const second = Number(found[3])
  const monthFirst = second > 12 || (first <= 12 && found[2] !== '.' && writesMonthFirst(hints.language))
  const year = fullYear(found[4]!)
  return monthFirst ? { year, month: first, day: second } : { year, month: second, day: first }
}

const writesMonthFirst = (language: string | null | undefined): boolean =>
  /^(?:en|en[-_]us|en[-_]ph|es[-_]us)$/i.test(language ?? '')

function fullYear(digits: string): number {
  const year = Number(digits)
  if (digits.length === 4) return year
  return year < 70 ? 2000 + year : 1900 + year
}

/** "5 January 2024", "Jan 5th, 2024", "5 de enero de 2024", "January 2024": the words between do not matter. */
function fromNames(text: string, hints: DateHints): Day | null {
  const words = text.match(/\p{L}+|\d+|:/gu) ?? []
  for (let i = 0; i < words.length; i++) {
    const month = monthOf(words[i]!, hints.language)
    if (month === 0) continue
    const day = dayAround(words, i)
    if (day !== null) return { ...day, month }
  }
  return null
}

const fillers = new Set(['de', 'del', 'd', 'of', 'the', 'st', 'nd', 'rd', 'th', 'er', 'do', 'den'])

function dayAround(words: string[], at: number): Omit<Day, 'month'> | null {
  const before = nextFigure(words, at, -1)
  const after = nextFigure(words, at, 1)
  if (before !== null && isDayFigure(before.text) && after !== null && isYearFigure(after.text)) {
    return { day: Number(before.text), year: fullYear(after.text) }
  }
  if (before !== null && before.text.length === 4 && after !== null && isDayFigure(after.text)) {
    return { day: Number(after.text), year: fullYear(before.text) }
  }
  if (after === null) return null
  const third = nextFigure(words, after.at, 1)
  const hasDay = isDayFigure(after.text) && third !== null && third.text.length === 4
  if (hasDay) return { day: Number(after.text), year: fullYear(third.text) }
  return after.text.length === 4 ? { day: 0, year: fullYear(after.text) } : null
}

function nextFigure(words: string[], from: number, step: 1 | -1): { text: string; at: number } | null {
  let at = from + step
  while (fillers.has(words[at]?.toLowerCase() ?? '')) at += step
  const text = words[at]
  return text !== undefined && /^\d/.test(text) ? { text, at } : null
}

const isDayFigure = (text: string): boolean => text.length <= 2 && Number(text) >= 1 && Number(text) <= 31
/** Two figures are a year only where no time follows from them: "5 Jan 24". */
const isYearFigure = (text: string): boolean => text.length === 4 || text.length === 2

function isRealDay({ year, month, day }: Day): boolean {
  if (year < 1 || month > 12) return false
  if (month === 0) return true
  return day === 0 || day <= new Date(Date.UTC(year, month, 0)).getUTCDate()
}

const pad = (value: number, width: number): string => String(value).padStart(width, '0')

function formatDay({ year, month, day }: Day): string {
  const parts = [pad(year, 4)]
  if (month > 0) parts.push(pad(month, 2))
  if (day > 0) parts.push(pad(day, 2))
  return parts.join('-')
}

function formatMoment(day: Day, time: TimeOfDay): string {
  const clock = `${pad(time.hours, 2)}:${pad(time.minutes, 2)}:${pad(time.seconds, 2)}`
  if (time.offset === null) return `${formatDay(day)}T${clock}`
  const local = Date.parse(`${formatDay(day)}T${clock}Z`)
  return new Date(local + time.milliseconds - time.offset * 60_000).toISOString()
}
