// Prices as people write them → an amount and, where it can be told, a currency.
import { currencyAfter, currencyBefore, currencyOf, isCurrency } from './currencies.ts'
import { latinDigits, type NumberHints, numberPattern, readDigits, shortFormOf } from './numbers.ts'

export interface Money {
  amount: number
  /** ISO 4217; null when the text names none, or one that several countries use. */
  currency: string | null
}

const everyNumber = new RegExp(numberPattern, 'g')

/**
 * The first number that has a currency beside it, else the first number: "3 for $10" is ten dollars, and of a range or of
 * a pair of old and new price the first is taken.
 */
export function parseMoney(text: string, hints: NumberHints = {}): Money | null {
  const latin = latinDigits(text)
  let first: Money | null = null
  for (const found of latin.matchAll(everyNumber)) {
    const sign = signBeside(latin, found.index, found[0].length)
    if (sign === null && first !== null) continue
    const money = readMoney(latin, found, sign, hints)
    if (money !== null && sign !== null) return money
    first ??= money
  }
  return first
}

function signBeside(text: string, start: number, length: number): string | null {
  const before = currencyBefore.exec(text.slice(Math.max(0, start - 12), start))
  if (before !== null && isCurrency(before[1]!)) return before[1]!
  const after = currencyAfter.exec(text.slice(start + length, start + length + 16))
  return after !== null && isCurrency(after[1]!) ? after[1]! : null
}

function readMoney(
  text: string,
  found: RegExpExecArray,
  sign: string | null,
  hints: NumberHints,
): Money | null {
  const digits = readDigits(found[0], { ...hints, whole: hints.machine !== true })
  if (digits === null) return null
  const value = digits * shortFormOf(text, found)
  const negative = /(?:^|\s)[-−–]\s?\S{0,4}\s?$/.test(text.slice(Math.max(0, found.index - 8), found.index))
  return {
    amount: negative && isLoneMinus(text, found.index) ? 0 - value : value,
    currency: sign === null ? null : currencyOf(sign, hints.language ?? null),
  }
}

/** A dash behind a number is a range ("10 – 20"), not a sign. */
const isLoneMinus = (text: string, start: number): boolean => !/\d/.test(text.slice(0, start))
