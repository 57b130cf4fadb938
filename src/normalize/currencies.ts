// Finds the currency of a symbol or word in a price.
import { currencyOfRegion, likelyRegion, regionOfLanguage } from './currency-regions.ts'
import { codes, longestSign, type Sign, signOf } from './currency-signs.ts'

/** Facts about the page. They decide between several meanings of a symbol. */
export interface CurrencyHints {
  /** The page's language tag. */
  language?: string | null
  /** ISO 3166 country code in capitals. */
  region?: string | null
  /** ISO 4217 code of the currency that the page declares for its prices. */
  currency?: string | null
}

export interface FoundSign {
  sign: Sign
  /** Length in the text, including white space up to the number. */
  length: number
}

const letter = /[\p{L}\p{M}]/u
const gap = /[\s:\u00a0\u202f\u200e\u200f]/

/** The currency symbol before a number that starts at `end`. Spaces may come between them. */
export function signBefore(text: string, end: number): FoundSign | null {
  let at = end
  while (at > 0 && gap.test(text[at - 1]!)) at--
  // A minus may be between symbol and number, as in "$ -5".
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

/** The currency symbol after a number that ends at `start`. Punctuation and spaces may come before the
 *  symbol. */
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

/** True for a tax mark directly after the symbol, as in "184 €HT" and "5 EURTTC". */
const isTaxMark = (rest: string): boolean => /^(?:HT|TTC)\b/.test(rest)

/** The currency of a code or symbol; null if it is neither. "AU $" and "CAD$" mean the dollar of one country. */
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

/** Codes that also count in lower case, because they are not common words: "12 eur" is a price, "3 all" is
 *  not. */
const usualInLowerCase = new Set(
  'eur usd gbp chf sek nok dkk pln czk huf ron bgn rub uah cad aud nzd inr jpy cny brl mxn aed'.split(' '),
)

/** Symbols that mean units or words in lower case, such as 5 ft, 5 l and 5 km. They are currencies only in capitals. */
const capitalOnly = /^(?:[a-z]|ft\.?|re|le|km|mt|um|ld|da|dt|sr|vt|bd|rf|man|sk|db|ar|cf)$/

const isSameCase = (sign: string): boolean => !capitalOnly.test(sign)

const only = (code: string): Sign => ({ meanings: [code], usual: code })

function dollarOf(prefix: string): Sign | null {
  const code = codes.has(prefix) ? prefix : currencyOfRegion(prefix)
  return code === null ? null : only(code)
}

/** The ISO 4217 code. If a symbol has several meanings, the hints decide. If they do not help, the default of
 *  the symbol counts. Null if it has no default. */
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
