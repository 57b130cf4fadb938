// Parses ranges of employee numbers and salaries.
import { isObject, type JsonObject } from '../model/json.ts'
import type { Json } from '../model/record.ts'
import { type Money, parseMoney } from './money.ts'
import { type NumberHints, parseNumber } from './numbers.ts'
import { stripHtml } from './text.ts'

const between =
  /(?<=(?:[\dkKM+€£¥]|[A-Z]{3})\s?)\s*(?:[-–—]|\bto\b|\bbis\b|\bà\b|\bund\b|\band\b)\s*(?=[\d$€£¥\p{Lu}])/u
const maxLength = 200

/** For example `51-200`, `10001+` or one number; null if there is none. Also accepts a `QuantitativeValue`. */
export function parseEmployeeRange(value: Json | undefined): string | null {
  if (typeof value === 'number') return Number.isSafeInteger(value) && value >= 0 ? String(value) : null
  if (typeof value === 'string') return employeesIn(stripHtml(value))
  if (!isObject(value)) return null
  return ranged(numberIn(value.minValue), numberIn(value.maxValue)) ?? parseEmployeeRange(value.value)
}

function employeesIn(text: string): string | null {
  if (text.length > maxLength) return null
  const [low, high] = text.split(between, 2).map(side => parseNumber(side, { whole: true }))
  if (low === null || low === undefined || !Number.isSafeInteger(low) || low < 0) return null
  if (Number.isSafeInteger(high)) return ranged(low, high!)
  if (/\d\s*(?:\+|plus\b)|\b(?:over|more than|at least|über|mehr als|plus de|más de)\b/iu.test(text))
    return `${low}+`
  const most = /\b(?:fewer|less) than\b|</i.test(text)
    ? low - 1
    : /\bup to\b|\bbis zu\b/i.test(text)
      ? low
      : null
  return most === null ? String(low) : ranged(1, most)
}

function ranged(low: number | null, high: number | null): string | null {
  if (low === null) return high === null ? null : amountText(high)
  if (high === null) return `${amountText(low)}+`
  return low < high ? `${amountText(low)}-${amountText(high)}` : amountText(low)
}

/** Created on first use, because it loads locale data. */
let plainNumber: Intl.NumberFormat | null = null

/** Formats the amount without ambiguity: readers would take "3.002" for three thousand and two, and "1e-7" for one. */
function amountText(amount: number): string {
  plainNumber ??= new Intl.NumberFormat('en', {
    useGrouping: false,
    maximumFractionDigits: 20,
    signDisplay: 'negative',
  })
  const plain = plainNumber.format(amount)
  return /^[1-9]\d{0,2}\.\d{3}$/.test(plain) ? `${plain}0` : plain
}

function numberIn(value: Json | undefined): number | null {
  if (typeof value === 'number') return value
  return typeof value === 'string' ? parseNumber(value, { machine: true }) : null
}

const periods: Array<[period: string, words: RegExp]> = [
  ['hour', /\b(?:hour(?:ly)?|hr|stunde|heure|hora)\b|\/\s?h\b/i],
  ['day', /\b(?:day|daily|tag|jour|día)\b/i],
  ['week', /\b(?:week(?:ly)?|woche|semaine|semana)\b/i],
  ['month', /\b(?:month(?:ly)?|mo|monat|mois|mes)\b/i],
  ['year', /\b(?:year(?:ly)?|yr|annum|annual(?:ly)?|p\.?a\b|jahr|año)\b/i],
]

/** Returns for example `USD 90000-120000 per year`, without the parts that the value does not state. Also
 *  accepts a `MonetaryAmount`. Returns text without a number unchanged. */
export function parseSalaryRange(value: Json | undefined, hints: NumberHints = {}): string | null {
  if (typeof value === 'number') return amountText(value)
  if (typeof value === 'string') return salaryIn(stripHtml(value), hints)
  if (!isObject(value)) return null
  return fromAmount(value)
}

function salaryIn(text: string, hints: NumberHints): string | null {
  if (text === '') return null
  const sides = text.split(between, 2)
  const high = sides[1] === undefined ? null : parseMoney(sides[1], hints)
  const low = parseMoney(sides[0]!, hints)
  if (low === null || low.amount <= 0 || text.length > maxLength) return text
  const [from, to] = sameScale(low, high)
  const isOpen = to === null && /\d\s*k?\s*\+/i.test(text)
  return salaryText(
    low.currency ?? high?.currency ?? null,
    ranged(from, isOpen ? null : (to ?? from))!,
    periodIn(text),
  )
}

/** In "90-120k" the suffix applies to both numbers. */
function sameScale(low: Money, high: Money | null): [number, number | null] {
  if (high === null) return [low.amount, null]
  const isShort =
    low.amount >= 1 && low.amount < 1_000 && high.amount >= 1_000 * low.amount && high.amount % 1_000 === 0
  return [isShort ? low.amount * 1_000 : low.amount, high.amount]
}

function fromAmount(amount: JsonObject): string | null {
  const inner = amount.value
  const holder = isObject(inner) ? inner : amount
  const low = numberIn(holder.minValue) ?? numberIn(holder.value)
  const range = ranged(low, numberIn(holder.maxValue) ?? low)
  const currency = amount.currency ?? holder.currency
  const unit = holder.unitText ?? amount.unitText
  if (range === null) return null
  return salaryText(
    typeof currency === 'string' ? currency : null,
    range,
    typeof unit === 'string' ? periodIn(unit) : null,
  )
}

const periodIn = (text: string): string | null => periods.find(([, words]) => words.test(text))?.[0] ?? null

const salaryText = (currency: string | null, range: string, period: string | null): string =>
  `${currency === null ? '' : `${currency} `}${range}${period === null ? '' : ` per ${period}`}`
