// Converts dates and times from the notations of pages to ISO 8601.
import {
  type DateHints,
  type Day,
  dayAt,
  formatDay,
  fullYear,
  gregorian,
  inYearOf,
  isRealDay,
} from './calendar-day.ts'
import { dayFromNames, weekdayAlone } from './date-names.ts'
import { isLocale } from './date-words.ts'
import { latinDigits } from './numbers.ts'
import { relativeDay } from './relative-dates.ts'
import { findTime, type TimeOfDay } from './times-of-day.ts'

export type { DateHints } from './calendar-day.ts'

/** Returns a day ("2024-03-05"), a month ("2024-03"), a year or a local time ("2024-03-05T10:30:00"). If the text has a
 *  time zone, returns the time with its offset ("2024-03-05T10:30:00+02:00"), so that the day does not change. Null if
 *  there is no date. Words such as "yesterday" and days without a year need `now`. "03/04/2024" is 3 April, unless the
 *  page's language or country writes the month first (English without a region, en-US). With dots the day is always
 *  first. A number over 12 is always the day. */
export function parseDate(text: string, hints: DateHints = {}): string | null {
  const latin = latinDigits(text.replace(/[\u200e\u200f\u061c]/g, '')).trim()
  if (/^\d{10}(?:\d{3})?$/.test(latin)) return fromEpoch(latin)
  const found = findDay(latin, hints)
  if (found === null) return told(latin, hints)
  const dated = found.year === 0 ? inYearOf(found, hints.now ?? Date.now(), hints.past === true) : found
  const day = gregorian(dated, text)
  if (!isRealDay(day)) return null
  const time = day.day === 0 ? null : findTime(latin)
  return time === null ? formatDay(day) : formatMoment(day, time)
}

function fromEpoch(digits: string): string {
  return new Date(Number(digits) * (digits.length === 10 ? 1000 : 1)).toISOString()
}

/** Dates relative to the fetch: "3 days ago", a weekday, or a time of today. */
function told(text: string, hints: DateHints): string | null {
  const { now } = hints
  if (now === undefined) return null
  const relative = relativeDay(text, hints)
  if (relative !== null) return formatDay(relative)
  const weekday = weekdayAlone(text, hints)
  if (weekday !== null) {
    const back = (new Date(now).getUTCDay() - weekday + 7) % 7 || 7
    return formatDay(dayAt(now - back * 86_400_000))
  }
  return timeAlone.test(text) ? formatDay(dayAt(now)) : null
}

const timeAlone = /^\d{1,2}:\d{2}(?::\d{2})?(?:\s?[ap]\.?m\.?)?$/i

const yearFirst = /(?<!\d)(\d{4})(?:\s*[-/.年년]\s*)(\d{1,2})(?:(?:\s*[-/.月월]\s*)(\d{1,2}))?(?![\d:])/
const compact = /^(\d{4})(\d{2})(\d{2})(?:T\d{4,6}|$)/
const numeric = /(?<!\d)(\d{1,2})\s?([-/.])\s?(\d{1,2})\s?\2\s?(\d{4}|\d{2})(?!\d)/
const yearAlone = /^\D{0,3}((?:19|20)\d{2})\D{0,3}$/
const monthAndDay = /^\D{0,3}(\d{1,2})\s*[月월]\s*(\d{1,2})\s*[日일]/

function findDay(text: string, hints: DateHints): Day | null {
  const iso = compact.exec(text) ?? yearFirst.exec(text)
  if (iso !== null) return { year: Number(iso[1]), month: Number(iso[2]), day: Number(iso[3] ?? 0) }
  const numbered = numberedMonth(text)
  if (numbered !== null) return numbered
  const digits = numeric.exec(text)
  if (digits !== null) return dayFromDigits(digits, hints)
  const named = dayFromNames(text, hints)
  if (named !== null) return named
  const eastAsian = hints.now === undefined ? null : monthAndDay.exec(text)
  if (eastAsian !== null) return { year: 0, month: Number(eastAsian[1]), day: Number(eastAsian[2]) }
  const alone = yearAlone.exec(text)
  return alone === null ? null : { year: Number(alone[1]), month: 0, day: 0 }
}

const dayAndNumberedMonth = /(?<!\d)(\d{1,2}) (?:tháng|thg|th) (\d{1,2})(?:,?\s*(?:năm|,)?\s*(\d{4}))?/iu
const mongolian = /(\d{4}) оны (\d{1,2})(?:-р|-р)? сарын (\d{1,2})/u

/** Vietnamese and Mongolian number their months: "5 tháng 3, 2024", "2024 оны 3-р сарын 5". */
function numberedMonth(text: string): Day | null {
  const found = dayAndNumberedMonth.exec(text)
  if (found?.[3]) return { day: Number(found[1]), month: Number(found[2]), year: Number(found[3]) }
  const other = mongolian.exec(text)
  return other && { year: Number(other[1]), month: Number(other[2]), day: Number(other[3]) }
}

function dayFromDigits(found: RegExpExecArray, hints: DateHints): Day {
  const first = Number(found[1])
  const second = Number(found[3])
  const isMonthFirst = second > 12 || (first <= 12 && found[2] !== '.' && writesMonthFirst(hints))
  const year = fullYear(found[4]!)
  return isMonthFirst ? { year, month: first, day: second } : { year, month: second, day: first }
}

const monthFirst = new Map<string, boolean>()
const mostTags = 500

/** Whether the locale's short dates start with the month. The country takes precedence over the language, because many
 *  sites declare "en-US". */
function writesMonthFirst({ language, region }: DateHints): boolean {
  const spoken = language?.split(/[-_]/, 1)[0]
  const tag = spoken && region ? `${spoken}-${region}` : (language?.replaceAll('_', '-') ?? '')
  let known = monthFirst.get(tag)
  if (known === undefined) {
    if (monthFirst.size >= mostTags) monthFirst.clear()
    known = tag !== '' && isLocale(tag) && startsWithMonth(tag)
    monthFirst.set(tag, known)
  }
  return known
}

const startsWithMonth = (tag: string): boolean =>
  new Intl.DateTimeFormat(`${tag}-u-ca-gregory`, { dateStyle: 'short', timeZone: 'UTC' })
    .formatToParts(0)
    .find(({ type }) => type !== 'literal')?.type === 'month'

const pad = (value: number): string => String(value).padStart(2, '0')

function formatMoment(day: Day, time: TimeOfDay): string {
  const clock = `${pad(time.hours)}:${pad(time.minutes)}:${pad(time.seconds)}`
  const local = `${formatDay(day)}T${clock}`
  if (time.offset === null) return local
  if (time.offset === 0) return `${local}.${String(time.milliseconds).padStart(3, '0')}Z`
  const minutes = Math.abs(time.offset)
  return `${local}${time.offset < 0 ? '-' : '+'}${pad(Math.floor(minutes / 60))}:${pad(minutes % 60)}`
}
