// Finds the currency of a sign or word in a price.
import { currencyOfRegion, likelyRegion, regionOfLanguage } from './currency-regions.ts'
import { codes, longestSign, type Sign, signOf } from './currency-signs.ts'

/** Further facts about the price. */
export interface CurrencyHints {
  /** A language tag. */
  language?: string | null
  /** ISO 3166, in capitals. */
  region?: string | null
  /** ISO 4217: the currency of the page's prices. */
  currency?: string | null
}

export interface FoundSign {
  sign: Sign
  /** Length in the text, with white space up to the number. */
  length: number
}

const letter = /[\p{L}\p{M}]/u
const gap = /[\s:\u00a0\u202f\u200e\u200f]/

/** The sign that ends at `end`, where a number starts. */
export function signBefore(text: string, end: number): FoundSign | null {
  let at = end
  while (at > 0 && gap.test(text[at - 1]!)) at--
  // "$ -5": a minus may be in between.
  if (at > 1 && /[-−–]/.test(text[at - 1]!) && /[\s\p{Sc}]/u.test(text[at - 2]!)) at--
  while (at > 0 && gap.test(text[at - 1]!)) at--
  for (let length = Math.min(longestSign, at); length > 0; length--) {
    const start = at - length
    if (start > 0 && letter.test(text[start]!) && letter.test(text[start - 1]!)) continue
    const sign = readSign(text.slice(start, at))
    if (sign !== null) return { sign, length: end - start }
  }
  return null
}

/** The sign that starts at `start`, where a number ends. */
export function signAfter(text: string, start: number): FoundSign | null {
  const rest = text.slice(start, start + longestSign + 6)
  const lead = /^(?:[.,]\s?[-–—]+|\.[-–—])?[\s\u00a0\u202f\u200e\u200f]*/.exec(rest)![0].length
  for (let length = Math.min(longestSign, rest.length - lead); length > 0; length--) {
    const end = lead + length
    const next = rest[end] ?? ''
    if (letter.test(rest[end - 1]!) && letter.test(next) && !isTaxMark(rest.slice(end))) continue
    const sign = readSign(rest.slice(lead, end))
    if (sign !== null) return { sign, length: end }
  }
  return null
}

/** "184 €HT" and "5 EURTTC": a tax mark may touch the sign. */
const isTaxMark = (rest: string): boolean => /^(?:HT|TTC)\b/.test(rest)

/** Only real codes count. "AU $" and "CAD$" are signs of one country. */
function readSign(text: string): Sign | null {
  const compact = text
    .replace(/[\s\u00a0]+/g, ' ')
    .replace(/[\u200e\u200f]/g, '')
    .trim()
  if (compact === '' || compact.length !== text.length) return null
  if (/^[A-Za-z]{3}$/.test(compact) && isCode(compact)) return only(compact.toUpperCase())
  const known = signOf(compact.toLowerCase())
  if (known !== undefined && isSameCase(compact)) return known
  const prefixed = /^([A-Z]{2,3}) ?\$$/.exec(compact)
  return prefixed === null ? null : dollarOf(prefixed[1]!)
}

const isCode = (text: string): boolean =>
  codes.has(text.toUpperCase()) && (text === text.toUpperCase() || usualInLowerCase.has(text.toLowerCase()))

/** Codes that are not common words, so that lower case counts: "12 eur", but not "3 all". */
const usualInLowerCase = new Set(
  'eur usd gbp chf sek nok dkk pln czk huf ron bgn rub uah cad aud nzd inr jpy cny brl mxn aed'.split(' '),
)

/** Signs that are units or words in lower case: 5 ft, 5 l, 5 km. */
const capitalOnly = /^(?:[a-z]|ft\.?|re|le|km|mt|um|ld|da|dt|sr|vt|bd|rf|man|sk|db|ar|cf)$/

const isSameCase = (sign: string): boolean => !capitalOnly.test(sign)

const only = (code: string): Sign => ({ meanings: [code], usual: code })

function dollarOf(prefix: string): Sign | null {
  const code = codes.has(prefix) ? prefix : currencyOfRegion(prefix)
  return code === null ? null : only(code)
}

/** The ISO 4217 code, or null if the sign is ambiguous. */
export function currencyOf(sign: Sign, hints: CurrencyHints): string | null {
  const { meanings, usual } = sign
  if (meanings.length === 1) return meanings[0]!
  if (hints.currency && meanings.includes(hints.currency)) return hints.currency
  const regions = [hints.region, regionOfLanguage(hints.language), likelyRegion(hints.language)]
  for (const region of regions) {
    const own = region ? currencyOfRegion(region) : null
    if (own !== null && meanings.includes(own)) return own
  }
  return usual
}
