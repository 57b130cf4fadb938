// Parses prices into an amount and, if possible, a currency.
import { type CurrencyHints, currencyOf, type FoundSign, signAfter, signBefore } from './currencies.ts'
import { hasThreeDecimals } from './currency-signs.ts'
import { latinDigits, type NumberHints, numberPattern, readDigits, shortFormOf } from './numbers.ts'

export interface Money {
  amount: number
  /** ISO 4217 code; null if it is missing or ambiguous. */
  currency: string | null
}

interface MoneyHints extends NumberHints, CurrencyHints {}

const everyNumber = new RegExp(`${numberPattern.source}|(?<![\\d.,\\p{L}])[.,]\\d{1,2}(?!\\d)`, 'gu')
const free =
  /^(?:free|(?:for )?free of charge|gratis|kostenlos|umsonst|gratuite?|gratuit[oa]|grátis|бесплатно|безкоштовно|безплатно|darmowe|bezpłatn[iy]e?|za darmo|zdarma|zadarmo|ingyenes|besplatno|brezplačno|nemokamai|tasuta|bezmaksas|ilmainen|ücretsiz|bedava|δωρεάν|مجاني?|رایگان|חינם|मुफ़?्त|ฟรี|miễn phí|percuma|免费|免費|無料|무료)[\s!.*]*$/iu

interface Found {
  start: number
  end: number
  value: number
  sign: FoundSign['sign'] | null
}

/** Maximum number of characters that are searched. Searching a long text of numbers would take minutes. */
const mostRead = 5_000

/** The first number with a currency, otherwise the first number: "3 for $10" is ten dollars. In a range, or with an old
 *  and a new price, the first one counts. "Free" is 0, and "40 %" is not a price. */
export function parseMoney(text: string, hints: MoneyHints = {}): Money | null {
  const latin = latinDigits(text.slice(0, mostRead))
  let first: Found | null = null
  let previous: Found | null = null
  for (const match of latin.matchAll(everyNumber)) {
    if (previous !== null && match.index < previous.end) continue
    if (isShare(latin, match)) continue
    const found = readNumber(latin, match, hints)
    if (found === null) continue
    // In "26 to 50 €" the symbol applies to both numbers.
    if (found.sign !== null && previous !== null && isRange(latin.slice(previous.end, match.index)))
      return moneyOf(latin, { ...previous, sign: found.sign }, hints)
    if (found.sign !== null) return moneyOf(latin, found, hints)
    first ??= found
    previous = found
  }
  if (first !== null) return moneyOf(latin, first, hints)
  return free.test(text.trim()) ? { amount: 0, currency: null } : null
}

const isShare = (text: string, { 0: digits, index }: RegExpExecArray): boolean =>
  /^\s?[%％٪]/.test(text.slice(index + digits.length, index + digits.length + 2))

const isRange = (between: string): boolean =>
  /^\s*(?:[-–—~]|to|bis|до|till?|tot|à|a|al|do|și)\s*[^\s\w]{0,3}\s*$/iu.test(between)

function readNumber(text: string, match: RegExpExecArray, hints: MoneyHints): Found | null {
  const { 0: digits, index: start } = match
  const end = start + digits.length
  const before = signBefore(text, start)
  const after = signAfter(text, end)
  const cents = centsApart(text, digits, end, before, after)
  const sign = clearer(before, cents?.after ?? after)
  const isThree = sign !== null && hasThreeDecimals(sign)
  const value = cents
    ? Number(`${digits.replace(/\D/g, '')}.${cents.digits}`)
    : readDigits(/^\d/.test(digits) ? digits : `0${digits}`, {
        ...hints,
        whole: hints.machine !== true && !isThree,
        ...(isThree && { language: null }),
      })
  return value === null
    ? null
    : { start, end: cents?.end ?? end, value: value * shortFormOf(text, match), sign }
}

/** Combines the symbols before and after a number. In "$1,190 AUD" the code decides what the ambiguous "$" means. */
function clearer(before: FoundSign | null, after: FoundSign | null): FoundSign['sign'] | null {
  if (before === null || after === null) return (before ?? after)?.sign ?? null
  const [code] = after.sign.meanings
  return after.sign.meanings.length === 1 && before.sign.meanings.includes(code!) ? after.sign : before.sign
}

interface Cents {
  digits: string
  end: number
  after: FoundSign | null
}

/** Two digits after a symbol or a gap are cents: "35€ 99", "1.837, 32 €", "36 99 €". */
function centsApart(
  text: string,
  digits: string,
  end: number,
  before: FoundSign | null,
  after: FoundSign | null,
): Cents | null {
  if (/[.,]\d{1,2}$/.test(digits) || /^[.,]/.test(digits)) return null
  const rest = text.slice(end, end + 12)
  const split = /^[.,]\s(\d{2})(?!\d)/.exec(rest) ?? /^[\s\u00a0](\d{2})(?![\d.,:]?\d)/.exec(rest)
  if (split !== null) {
    const splitEnd = end + split[0].length
    const behind = signAfter(text, splitEnd)
    const isAlone = before !== null && /^\s*(?:$|[*/()[\]])/.test(text.slice(splitEnd))
    return behind !== null || isAlone ? { digits: split[1]!, end: splitEnd, after: behind } : null
  }
  const behindSign = /^\s?\p{Sc}\s?(\d{2})(?!\d)(?!\s?[\p{L}\p{Sc}%.,:])/u.exec(rest)
  if (behindSign === null || before !== null) return null
  return { digits: behindSign[1]!, end: end + behindSign[0].length, after }
}

function moneyOf(text: string, { start, value, sign }: Found, hints: MoneyHints): Money {
  const negative = /(?:^|\s)[-−–]\s?\S{0,4}\s?$/.test(text.slice(Math.max(0, start - 8), start))
  return {
    amount: negative && isLoneMinus(text, start) ? 0 - value : value,
    currency: sign === null ? null : currencyOf(sign, hints),
  }
}

/** False after another number: the dash in "10 – 20" means a range, not a minus. */
const isLoneMinus = (text: string, start: number): boolean => !/\d/.test(text.slice(0, start))
