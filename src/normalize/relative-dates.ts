// Parses dates relative to the fetch: "3 days ago", "yesterday", "vor 2 Stunden", "3日前".
import { type DateHints, type Day, dayAt } from './calendar-day.ts'
import { isLocale, languagesFor } from './date-words.ts'

type Unit = 'second' | 'minute' | 'hour' | 'day' | 'week' | 'month' | 'year'

interface Phrase {
  unit: Unit
  /** The amount of a phrase without a number: -1 for "yesterday". Null if the text contains the number. */
  amount: number | null
}

const units: Unit[] = ['second', 'minute', 'hour', 'day', 'week', 'month', 'year']
/** Phrases are created with these numbers, which together have all plural forms of every language. */
const sampleNumbers = [1, 2, 3, 5, 11, 21]
const perLanguage = new Map<string, Map<string, Phrase>>()
const maxLanguages = 500

/** Words for one, as in "a day ago", "vor einer Stunde", "il y a un an". */
const one =
  /(?<![\p{L}\p{M}])(?:an?|one|ein(?:e[nmr]?)?|une?|un[ao]|uma?|en|ett|et|één|jeden|jedn[aou]|один|одну|одна|bir|egy|μία|μια|ένα|satu|một)(?![\p{L}\p{M}])/u
const alsoWritten: Record<string, Array<[string, Phrase]>> = {
  en: [
    ['just now', { unit: 'second', amount: 0 }],
    ['moments ago', { unit: 'second', amount: 0 }],
    ['{n} mins ago', { unit: 'minute', amount: null }],
    ['{n} min ago', { unit: 'minute', amount: null }],
    ['{n} hrs ago', { unit: 'hour', amount: null }],
    ['{n} hr ago', { unit: 'hour', amount: null }],
    ['{n}h ago', { unit: 'hour', amount: null }],
    ['{n}d ago', { unit: 'day', amount: null }],
    ['{n}w ago', { unit: 'week', amount: null }],
  ],
  pt: [
    ['{n} dias atrás', { unit: 'day', amount: null }],
    ['{n} horas atrás', { unit: 'hour', amount: null }],
  ],
  es: [['ayer', { unit: 'day', amount: -1 }]],
}

const leadWords =
  /^(?:published|posted|updated|added|on|veröffentlicht|aktualisiert|publié|publicado|опубликовано)[:\s]+/u
/** Longest text in characters that can be a relative date. */
const longest = 60

export function relativeDay(text: string, { language, now }: DateHints): Day | null {
  if (now === undefined || text.length > longest) return null
  const said = text
    .toLowerCase()
    .replace(leadWords, '')
    .replace(/[\s\u00a0\u202f]+/g, ' ')
    .replace(/[.!,:;]+$/, '')
    .trim()
  for (const tag of language ? [language, 'en'] : languagesFor(said)) {
    const phrase = lookUp(phrasesOf(tag), said)
    if (phrase !== null) return shifted(now, phrase)
  }
  return null
}

function lookUp(phrases: Map<string, Phrase>, said: string): Required<{ unit: Unit; amount: number }> | null {
  // Remove a time after the phrase ("yesterday at 10:30", "vor 2 Stunden, 10:30"). It does not change the day.
  const withoutTime = said.replace(/[\s,]+(?:at|um|à|a las|às|kl\.?|klo|в|о)?\s*\d{1,2}[:.h]\d{2}.*$/u, '')
  for (const text of new Set([said, withoutTime])) {
    const fixed = phrases.get(text)
    if (fixed && fixed.amount !== null) return { unit: fixed.unit, amount: fixed.amount }
    const number = /\d{1,4}/.exec(text)
    const pattern = number ? text.replace(number[0], '{n}') : text.replace(one, '{n}')
    const counted = phrases.get(pattern) ?? phrases.get(pattern.replace(/\s?\{n\}\s?/, '{n}'))
    if (counted && counted.amount === null) return { unit: counted.unit, amount: -Number(number?.[0] ?? 1) }
  }
  return null
}

function shifted(now: number, { unit, amount }: { unit: Unit; amount: number }): Day {
  const date = new Date(now)
  if (unit === 'year') return monthsFrom(date, 12 * amount)
  if (unit === 'month') return monthsFrom(date, amount)
  const ms = { second: 1_000, minute: 60_000, hour: 3_600_000, day: 86_400_000, week: 604_800_000 }[unit]
  return dayAt(now + amount * ms)
}

/** The same day of another month, or the last day of that month if it is shorter. */
function monthsFrom(date: Date, months: number): Day {
  const last = new Date(Date.UTC(date.getUTCFullYear(), date.getUTCMonth() + months + 1, 0))
  const day = Math.min(date.getUTCDate(), last.getUTCDate())
  return { ...dayAt(last.getTime()), day }
}

function phrasesOf(language: string): Map<string, Phrase> {
  let phrases = perLanguage.get(language)
  if (phrases === undefined) {
    if (perLanguage.size >= maxLanguages) perLanguage.clear()
    phrases = readLocale(language)
    perLanguage.set(language, phrases)
  }
  return phrases
}

function readLocale(language: string): Map<string, Phrase> {
  const phrases = new Map<string, Phrase>(alsoWritten[language.split('-', 1)[0]!.toLowerCase()] ?? [])
  if (!isLocale(language)) return phrases
  const locale = `${language}-u-nu-latn`
  for (const style of ['long', 'short', 'narrow'] as const) {
    const counted = new Intl.RelativeTimeFormat(locale, { style, numeric: 'always' })
    for (const unit of units)
      for (const number of sampleNumbers)
        addCounted(phrases, counted.formatToParts(-number, unit), unit, number)
  }
  const named = new Intl.RelativeTimeFormat(locale, { numeric: 'auto' })
  for (const amount of [0, -1, -2]) addNamed(phrases, named.formatToParts(amount, 'day'), amount)
  return phrases
}

/** Adds the phrase for one unit and number. Arabic and Hebrew have forms for one and two that contain no number. */
function addCounted(
  phrases: Map<string, Phrase>,
  parts: Intl.RelativeTimeFormatPart[],
  unit: Unit,
  number: number,
): void {
  if (!parts.some(({ type }) => type === 'integer')) {
    phrases.set(
      parts
        .map(({ value }) => value)
        .join('')
        .toLowerCase(),
      { unit, amount: -number },
    )
    return
  }
  const pattern = parts.map(({ type, value }) => (type === 'integer' ? '{n}' : value)).join('')
  const plain = pattern
    .toLowerCase()
    .replace(/[\s\u00a0\u202f]+/g, ' ')
    .replace(/\.+$/, '')
    .trim()
  if (!/^-?\s?\{n\}\s?\p{L}?$/u.test(plain) && !phrases.has(plain)) {
    phrases.set(plain, { unit, amount: null })
    phrases.set(plain.replace(/\s?\{n\}\s?/, '{n}'), { unit, amount: null })
  }
}

function addNamed(phrases: Map<string, Phrase>, parts: Intl.RelativeTimeFormatPart[], amount: number): void {
  if (parts.some(({ type }) => type === 'integer')) return
  phrases.set(
    parts
      .map(({ value }) => value)
      .join('')
      .toLowerCase(),
    { unit: 'day', amount },
  )
}
