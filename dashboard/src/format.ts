// Formats numbers, sizes, durations and times for the user's language and time zone.

const whole = new Intl.NumberFormat()
const oneDigit = new Intl.NumberFormat(undefined, { maximumFractionDigits: 1 })
const cents = new Intl.NumberFormat(undefined, { minimumFractionDigits: 2, maximumFractionDigits: 2 })
const twoDigits = new Intl.NumberFormat(undefined, { maximumFractionDigits: 2 })
const compact = new Intl.NumberFormat(undefined, { notation: 'compact', maximumFractionDigits: 1 })
const timeOnly = new Intl.DateTimeFormat(undefined, { timeStyle: 'medium' })
const hourAndMinute = new Intl.DateTimeFormat(undefined, { timeStyle: 'short' })
const dayOnly = new Intl.DateTimeFormat(undefined, { month: 'short', day: 'numeric' })
const dayAndTime = new Intl.DateTimeFormat(undefined, { dateStyle: 'medium', timeStyle: 'short' })
const inFull = new Intl.DateTimeFormat(undefined, { dateStyle: 'full', timeStyle: 'long' })
const toTheMinute = new Intl.DateTimeFormat(undefined, {
  ...{ weekday: 'short', day: 'numeric', month: 'short', hour: 'numeric', minute: '2-digit' },
  timeZoneName: 'short',
})
const relative = new Intl.RelativeTimeFormat(undefined, { numeric: 'auto', style: 'short' })

export const count = (value: number): string => whole.format(value)

/** A short number for narrow columns: 1.2M. */
export const short = (value: number): string => (value < 10_000 ? whole.format(value) : compact.format(value))

export const rate = (perSecond: number): string =>
  `${(perSecond < 10 ? twoDigits : oneDigit).format(perSecond)}/s`

export const percent = (part: number, of: number): string => {
  if (of === 0) return '0 %'
  const value = (part / of) * 100
  // A part that is almost complete is shown as 99.9 %, never as 100 %.
  return `${part < of && value > 99.9 ? '99.9' : oneDigit.format(value)} %`
}

const units = ['B', 'KB', 'MB', 'GB', 'TB']

export function bytes(value: number): string {
  let rest = value
  let unit = 0
  while (rest >= 1_000 && unit < units.length - 1) {
    rest /= 1_000
    unit += 1
  }
  return `${oneDigit.format(rest)} ${units[unit]}`
}

const spans: Array<[seconds: number, name: string]> = [
  [86_400, 'd'],
  [3_600, 'h'],
  [60, 'min'],
  [1, 's'],
]

/** A duration in its two largest units: `2 h 5 min`. */
export function span(ms: number): string {
  if (ms < 1_000) return `${Math.max(0, Math.round(ms))} ms`
  if (ms < 10_000) return `${oneDigit.format(ms / 1_000)} s`
  let seconds = Math.round(ms / 1_000)
  const parts: string[] = []
  for (const [size, name] of spans) {
    const amount = Math.floor(seconds / size)
    seconds -= amount * size
    if (amount > 0 || (parts.length > 0 && name !== 's')) parts.push(`${amount} ${name}`)
    if (parts.length === 2) break
  }
  return parts.filter(part => !part.startsWith('0 ')).join(' ')
}

const isToday = (date: Date): boolean => date.toDateString() === new Date().toDateString()

/** A time; without the date if it is today. */
export function moment(iso: string): string {
  const date = new Date(iso)
  return isToday(date) ? timeOnly.format(date) : dayAndTime.format(date)
}

/** A label of a time axis. It is the date at the start of a day, and has seconds only if labels are closer than a minute. */
export function markOf(seconds: number, before: number | undefined, stepSeconds: number): string {
  const date = new Date(seconds * 1_000)
  const isNewDay = before !== undefined && new Date(before * 1_000).toDateString() !== date.toDateString()
  if (isNewDay || stepSeconds >= 86_400) return dayOnly.format(date)
  return (stepSeconds < 60 ? timeOnly : hourAndMinute).format(date)
}

export const momentInFull = (iso: string): string => inFull.format(new Date(iso))

/** A future time with day, minute and time zone. */
export const momentToCome = (iso: string): string => toTheMinute.format(new Date(iso))

const steps: Array<[seconds: number, unit: Intl.RelativeTimeFormatUnit]> = [
  [60, 'second'],
  [3_600, 'minute'],
  [86_400, 'hour'],
  [2_592_000, 'day'],
  [31_536_000, 'month'],
  [Number.POSITIVE_INFINITY, 'year'],
]
const sizes: Record<string, number> = {
  second: 1,
  minute: 60,
  hour: 3_600,
  day: 86_400,
  month: 2_592_000,
  year: 31_536_000,
}

export function ago(iso: string, now = Date.now()): string {
  const seconds = (new Date(iso).getTime() - now) / 1_000
  const [, unit] = steps.find(([limit]) => Math.abs(seconds) < limit)!
  return relative.format(Math.trunc(seconds / sizes[unit]!), unit)
}

export const zoneName = (): string => Intl.DateTimeFormat().resolvedOptions().timeZone

/** A count with its noun: `1 task`, `2 tasks`. */
export const several = (amount: number, word: string): string =>
  `${count(amount)} ${amount === 1 ? word : pluralOf(word)}`

const pluralOf = (word: string): string => (/[^aeiou]y$/.test(word) ? `${word.slice(0, -1)}ies` : `${word}s`)

interface Money {
  amount: number
  currency: string | null
}

function isMoney(value: unknown): value is Money {
  return typeof value === 'object' && value !== null && 'amount' in value && 'currency' in value
}

/** An amount as on a price tag: 17.50, but 130 without decimals. */
const amountOf = ({ amount }: Money): string =>
  (Number.isInteger(Number(amount)) ? whole : cents).format(Number(amount))

/** A value of a record as one line. */
export function cell(value: unknown): string {
  if (value === null || value === undefined) return ''
  if (isMoney(value)) return `${amountOf(value)} ${value.currency ?? ''}`.trim()
  return typeof value === 'object' ? JSON.stringify(value) : String(value)
}

/** The URL if it is http or https; otherwise undefined. A page may give any text as a link, such as `javascript:`. */
export function webAddress(text: string): string | undefined {
  const url = URL.parse(text)
  return url?.protocol === 'http:' || url?.protocol === 'https:' ? url.href : undefined
}

/** How many characters at the end of a long URL are always shown, because URLs differ mostly at their start and end. */
const tailLength = 14

/** Splits a URL: a narrow column may cut the first part; the second part is always shown. */
export function urlParts(text: string): [head: string, tail: string] {
  const bare = shortUrl(text)
  const cut = bare.length > tailLength + 4 ? bare.length - tailLength : bare.length
  return [bare.slice(0, cut), bare.slice(cut)]
}

/** A URL without scheme, www and trailing slash. */
export const shortUrl = (text: string): string => text.replace(/^https?:\/\/(www\.)?/, '').replace(/\/$/, '')

const namingFields = ['name', 'title', 'headline']
/** Fields with the same value in many records. They do not help to tell records apart. */
const vagueFields = ['page_kind', 'language']

/** A record in a few words: its name, then other short values. URLs and bare numbers are left out, because they say little. */
export function headlineOf(data: Record<string, unknown>): string {
  const named = namingFields.filter(field => field in data)
  const others = Object.keys(data).filter(
    field => !named.includes(field) && !vagueFields.includes(field) && !field.startsWith('_'),
  )
  const texts = [...named, ...others].map(field => cell(data[field]).trim()).filter(text => text !== '')
  const telling = texts.filter(text => text.length < 200 && !/^(https?:|[[{]|[\d.]+$)/.test(text))
  return telling.slice(0, 3).join(' · ') || texts[0]?.slice(0, 200) || 'a record'
}
