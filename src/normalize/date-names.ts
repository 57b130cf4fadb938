// Parses dates with a month name: "5 January 2024", "Jan 5th, 2024", "2011 წლის 17 მარტი", "5 de enero".

import { type DateHints, type Day, fullYear } from './calendar-day.ts'
import {
  monthReadings,
  monthsStarting,
  plainWord,
  type Reading,
  weekdayReadings,
  weekdaysStarting,
} from './date-words.ts'

const token = /[\p{L}\p{M}]+(?:[.'’][\p{L}\p{M}]+)*|\d+/gu
const clock =
  /\d{1,2}[:h]\d{2}(?::\d{2}(?:[.,]\d+)?)?(?:\s?[ap]\.?\s?m\b\.?)?|\d{1,2}\.\d{2}\s?[ap]\.?m\b\.?|\d{1,2}\s?[ap]\.?m\b\.?/giu
const apostropheYear = /['’]\s?(\d{2})(?!\d)/

/** Only this many words of a text are searched for a date. */
const mostTokens = 60

export function dayFromNames(text: string, hints: DateHints): Day | null {
  if (!/\d/.test(text)) return null
  const tokens = (text.replace(clock, ' ; ').match(token) ?? []).slice(0, mostTokens)
  for (let at = 0; at < tokens.length; at++) {
    if (isFigure(tokens[at]!)) continue
    const month = monthAt(tokens, at, hints)
    const day = month && dayAround(text, tokens, at, at + month.length, hints)
    if (day) return { ...day, month: month.value }
  }
  return null
}

interface FoundMonth {
  value: number
  /** Number of words in the month's name. */
  length: number
}

/** Finds a month name of up to three words. Without a full name, accepts a word next to digits that
 *  abbreviates or contains a month name. */
function monthAt(tokens: string[], at: number, { language }: DateHints): FoundMonth | null {
  for (let length = Math.min(3, tokens.length - at); length > 0; length--) {
    if (length > 1 && tokens.slice(at, at + length).some(isFigure)) continue
    const word = plainWord(tokens.slice(at, at + length).join(' '))
    const value = settled(tokens, monthReadings(word, language))
    if (value > 0) return { value, length }
  }
  const hasFigure = isFigure(tokens[at - 1] ?? '') || isFigure(tokens[at + 1] ?? '')
  const word = plainWord(tokens[at]!)
  const shortest = /^\p{Script=Latin}/u.test(word) ? 3 : 2
  if (!hasFigure || word.length < shortest) return null
  const value = settled(tokens, monthsStarting(word, language)) || monthWithin(word)
  return value > 0 ? { value, length: 1 } : null
}

/** If languages disagree about the month, prefers a language that also knows a weekday of the text. */
function settled(tokens: string[], readings: Reading[]): number {
  const [first] = readings
  if (first === undefined || readings.every(({ value }) => value === first.value)) return first?.value ?? 0
  const known = tokens.flatMap(other => (isFigure(other) ? [] : weekdayReadings(plainWord(other), null)))
  const sure = readings.find(({ language }) => known.some(weekday => weekday.language === language))
  return (sure ?? first).value
}

/** The month inside a word. Thai and related scripts write no spaces ("เดือนตุลาคม"), and Hebrew adds "in" before the
 *  name ("בינואר"). */
function monthWithin(word: string): number {
  if (!/^[\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}\p{Script=Myanmar}ב]/u.test(word)) return 0
  for (let start = 1; start < word.length - 2; start++) {
    const [reading] = monthReadings(word.slice(start), null)
    if (reading !== undefined) return reading.value
  }
  return 0
}

const isFigure = (text: string): boolean => /^\d/.test(text)
const isDayFigure = (text: string): boolean => text.length <= 2 && Number(text) >= 1 && Number(text) <= 31
const isYear = (text: string): boolean => /^(?:1\d|2[0-6])\d{2}$/.test(text)

function dayAround(
  text: string,
  tokens: string[],
  start: number,
  end: number,
  hints: DateHints,
): Omit<Day, 'month'> | null {
  const before = nextFigure(tokens, start, -1, hints)
  const after = nextFigure(tokens, end - 1, 1, hints)
  if (before !== null && isDayFigure(before.text)) {
    const day = Number(before.text)
    if (after !== null && isYear(after.text)) return { day, year: Number(after.text) }
    const earlier = nextFigure(tokens, before.at, -1, hints)
    if (earlier !== null && isYear(earlier.text)) return { day, year: Number(earlier.text) }
    if (after !== null && after.text.length === 2) return { day, year: fullYear(after.text) }
    return withoutYear(day, text, hints)
  }
  if (before !== null && isYear(before.text)) {
    const day = after !== null && isDayFigure(after.text) ? Number(after.text) : 0
    return { day, year: Number(before.text) }
  }
  if (after === null) return null
  if (isYear(after.text)) return { day: 0, year: Number(after.text) }
  if (!isDayFigure(after.text)) return null
  const third = nextFigure(tokens, after.at, 1, hints)
  if (third !== null && isYear(third.text)) return { day: Number(after.text), year: Number(third.text) }
  return withoutYear(Number(after.text), text, hints)
}

/** For a date without a four-digit year, such as "5 March" or "5 March '24". Year 0 means that the text has
 *  no year. Null if the text has no year and `now` is unknown. */
function withoutYear(day: number, text: string, { now }: DateHints): Omit<Day, 'month'> | null {
  const short = apostropheYear.exec(text)
  if (short !== null) return { day, year: fullYear(short[1]!) }
  return now === undefined ? null : { day, year: 0 }
}

const fillers = new Set(
  'de del d of the st nd rd th er ère re do den da di à a le la el ta º ª г год года году р рік року წ წლის ж жылы year anno m y ng i gada g e ko d kl'.split(
    ' ',
  ),
)

function nextFigure(
  tokens: string[],
  from: number,
  step: 1 | -1,
  hints: DateHints,
): { text: string; at: number } | null {
  let at = from + step
  while (at >= 0 && at < tokens.length && isBetween(tokens[at]!, hints)) at += step
  const text = tokens[at]
  return text !== undefined && isFigure(text) ? { text, at } : null
}

/** True for words that may be between the parts of a date. */
function isBetween(word: string, { language }: DateHints): boolean {
  if (isFigure(word)) return false
  const plain = plainWord(word)
  if (fillers.has(plain)) return true
  if (!/^\p{Script=Latin}/u.test(plain) && plain.length <= 4) return true
  return weekdayReadings(plain, language).length > 0
}

/** The weekday if the text is only a weekday, perhaps with a time: "Thursday", "Mit 13:14". 0 is Sunday. */
export function weekdayAlone(text: string, { language }: DateHints): number | null {
  const words = text
    .replace(clock, ' ')
    .trim()
    .replace(/[.,:]+$/, '')
  const plain = plainWord(words)
  if (plain.length < 2 || plain.length > 30 || /[\d;]/.test(plain)) return null
  const exact = weekdayReadings(plain, language)[0]
  if (exact !== undefined) return exact.value
  const isLatin = /^\p{Script=Latin}/u.test(plain)
  if (isLatin && plain.length < 3 && plain === words.trim()) return null
  return weekdaysStarting(plain, language)[0]?.value ?? null
}
