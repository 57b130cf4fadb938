// A calendar day, with as many parts as a text states.

export interface DateHints {
  /** The page's language tag. It decides about "03/04/2024" and about ambiguous month names. */
  language?: string | null
  /** ISO 3166 country code in capitals, from a URL with a country domain. */
  region?: string | null
  /** Time of the fetch in epoch ms. Without it, "yesterday" and "5 March" are not dates. */
  now?: number
  /** True if the date is known to be in the past, such as a publication date. A day without a year then gets the latest
   *  year in which it is past. */
  past?: boolean
}

/** A date that may be partial: month 0 means that only the year is known, day 0 only year and month. */
export interface Day {
  /** 0 if the text has no year. */
  year: number
  /** 13 to 24 are the months of the Persian calendar. */
  month: number
  day: number
}

export function fullYear(digits: string): number {
  const year = Number(digits)
  if (digits.length === 4) return year
  return year < 70 ? 2000 + year : 1900 + year
}

export function isRealDay({ year, month, day }: Day): boolean {
  if (year < 1 || month > 12) return false
  if (month === 0) return true
  return day === 0 || day <= new Date(Date.UTC(year, month, 0)).getUTCDate()
}

const pad = (value: number, width: number): string => String(value).padStart(width, '0')

export function formatDay({ year, month, day }: Day): string {
  const parts = [pad(year, 4)]
  if (month > 0) parts.push(pad(month, 2))
  if (day > 0) parts.push(pad(day, 2))
  return parts.join('-')
}

export function dayAt(ms: number): Day {
  const date = new Date(ms)
  return { year: date.getUTCFullYear(), month: date.getUTCMonth() + 1, day: date.getUTCDate() }
}

/** Adds the year of `now` to a day without a year. For past dates, adds the previous year if the day would be
 *  more than one day after `now`. This tolerance covers time zones. */
export function inYearOf(day: Day, now: number, past: boolean): Day {
  const today = dayAt(now)
  const isLater = day.month > today.month || (day.month === today.month && day.day > today.day + 1)
  return { ...day, year: past && isLater ? today.year - 1 : today.year }
}

/** Converts dates of the Buddhist (Thailand) and Persian calendars. A year from 1300 to 1499 is Persian only with a
 *  Persian month name or Persian digits. */
export function gregorian(day: Day, text: string): Day {
  if (day.year >= 2400 && day.year < 2700) return { ...day, year: day.year - 543 }
  const isPersianYear = day.year >= 1300 && day.year < 1500
  if (!isPersianYear || day.month === 0) return day
  if (day.month > 12) return fromPersian({ ...day, month: day.month - 12 })
  return /[۰-۹]/.test(text) ? fromPersian(day) : day
}

/** Created on first use, because loading the Persian calendar takes 40 ms. */
let persian: Intl.DateTimeFormat | undefined
const persianDay = (ms: number): string => {
  persian ??= new Intl.DateTimeFormat('en-u-ca-persian', {
    month: 'numeric',
    day: 'numeric',
    timeZone: 'UTC',
  })
  return persian.format(ms)
}

function fromPersian({ year, month, day }: Day): Day {
  const isNewYear = (ms: number) => persianDay(ms).startsWith('1/1')
  const marchDays = [19, 20, 21, 22].map(march => Date.UTC(year + 621, 2, march))
  const newYear = marchDays.find(isNewYear) ?? marchDays[2]!
  const days = month <= 7 ? (month - 1) * 31 : 186 + (month - 7) * 30
  return dayAt(newYear + (days + Math.max(day, 1) - 1) * 86_400_000)
}
