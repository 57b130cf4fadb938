// Parses numbers as people write them, with separators of many locales, signs, other digits and short forms such as
// 1.2K.

export interface NumberHints {
  /** The page's language tag. It decides whether the dot in "1.299" is a decimal point or a thousands separator. */
  language?: string | null
  /** True for a value that is written for programs: a dot is always the decimal point. */
  machine?: boolean
  /** True if a whole number or an amount of money is expected. Three digits after a single separator are then
   *  thousands, not decimals. */
  whole?: boolean
}

/** A run of digits with separators. A space counts only between groups of three digits. */
export const numberPattern = /\d(?:[.,'’٫٬_](?=\d)|[ \u00a0\u2009\u202f](?=\d{3}(?!\d))|\d)*/

const otherDigits = /(?![0-9])\p{Nd}/gu
const anyOtherDigit = /(?![0-9])\p{Nd}/u
const shortForms: Record<string, number> = { k: 1e3, K: 1e3, M: 1e6, B: 1e9 }

/** Languages that write 1.299,00 or 1 299,00. Some of their regions, such as Switzerland and Mexico, write
 *  numbers differently. */
const commaDecimal = new Set(
  'de fr es it nl pt da sv nb nn no fi is pl cs sk sl hr sr bs hu ro bg ru uk be tr el id vi et lv lt ca gl'.split(
    ' ',
  ),
)
const pointDecimalRegion = /-(?:CH|LI|MX|US|PR|GT|HN|NI|SV|DO|PA|PE)\b/i

/** The first number in the text; null if there is none. "12 %" is 12. */
export function parseNumber(text: string, hints: NumberHints = {}): number | null {
  const latin = latinDigits(text)
  const found = numberPattern.exec(latin)
  if (found === null) return null
  const value = exponentForm(latin) ?? readDigits(found[0], hints)
  // Adding 0 turns "-0" into 0.
  return value === null ? null : value * signOf(latin, found.index) * shortFormOf(latin, found) + 0
}

/** The whole number in the text. Null if there is none, or if it has decimals: "4.7" gives null, "1.299"
 *  gives 1299. */
export function parseInteger(text: string, hints: NumberHints = {}): number | null {
  const value = parseNumber(text, { ...hints, whole: hints.machine !== true })
  return value !== null && Number.isSafeInteger(value) ? value : null
}

/** Replaces digits of any script by 0 to 9. */
export function latinDigits(text: string): string {
  return anyOtherDigit.test(text) ? text.replace(otherDigits, digit => String(digitValue(digit))) : text
}

/** The value of a digit. In Unicode, the digits of a script are consecutive, starting with zero. */
function digitValue(digit: string): number {
  const code = digit.codePointAt(0)!
  let zero = code
  while (code - zero < 9 && anyOtherDigit.test(String.fromCodePoint(zero - 1))) zero--
  return code - zero
}

/** The value of one number, given its digits and separators. */
export function readDigits(digits: string, hints: NumberHints): number | null {
  const decimal = decimalSeparator(digits, hints)
  const cut = decimal === null ? -1 : digits.lastIndexOf(decimal)
  const whole = (cut < 0 ? digits : digits.slice(0, cut)).replace(/\D/g, '')
  const part = cut < 0 ? '' : digits.slice(cut + 1).replace(/\D/g, '')
  const value = Number(part === '' ? whole : `${whole}.${part}`)
  return Number.isFinite(value) ? value : null
}

function decimalSeparator(digits: string, hints: NumberHints): string | null {
  if (digits.includes('٫')) return '٫'
  const point = digits.lastIndexOf('.')
  const comma = digits.lastIndexOf(',')
  if (point < 0 && comma < 0) return null
  if (point >= 0 && comma >= 0) return point > comma ? '.' : ','
  const separator = point >= 0 ? '.' : ','
  return isDecimal(digits, separator, hints) ? separator : null
}

/** For a number with only one kind of separator: true if that is the decimal separator. It must occur only
 *  once. If three digits follow it, `hints` decides whether it separates thousands. */
function isDecimal(digits: string, separator: '.' | ',', hints: NumberHints): boolean {
  const first = digits.indexOf(separator)
  if (first !== digits.lastIndexOf(separator)) return false
  const looksLikeGroup = digits.length - first - 1 === 3 && first <= 3 && digits[0] !== '0'
  // Programs write a dot as the decimal point. A comma counts as a decimal comma only if three digits do not
  // follow it.
  if (hints.machine) return separator === '.' || !looksLikeGroup
  if (!looksLikeGroup) return true
  if (hints.whole) return false
  return (separator === ',') === writesDecimalComma(hints.language)
}

function writesDecimalComma(language: string | null | undefined): boolean {
  if (!language) return false
  return commaDecimal.has(language.split('-', 1)[0]!.toLowerCase()) && !pointDecimalRegion.test(language)
}

function exponentForm(text: string): number | null {
  const found = /^\s*[+-]?(\d+(?:\.\d+)?e[+-]?\d{1,3})\s*$/i.exec(text)
  return found === null ? null : Number(found[1])
}

/** Returns -1 if a minus precedes the number, with at most a currency symbol between them ("-5", "−€5"), or if the text
 *  is in parentheses ("(5.00)"). Otherwise 1. */
function signOf(text: string, start: number): 1 | -1 {
  const before = text.slice(Math.max(0, start - 8), start)
  if (/(?:^|[\s:=])[-−–]\s?[^\s\w]{0,3}\s?$/.test(before)) return -1
  return /\([^\s\w]{0,3}\s?$/.test(before) && /^[^()]*\)\s*$/.test(text.slice(start)) && /^\s*\(/.test(text)
    ? -1
    : 1
}

/** The factor of a short form: 1,000 for "1.2K", but 1 for "1.2 km". */
export function shortFormOf(text: string, found: RegExpExecArray): number {
  const after = text.slice(found.index + found[0].length, found.index + found[0].length + 2)
  const form = shortForms[after[0] ?? '']
  return form !== undefined && !/[\p{L}\d]/u.test(after[1] ?? ' ') ? form : 1
}
