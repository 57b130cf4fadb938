// Codes of the characters that the HTML tokenizer distinguishes.

export const char = {
  tab: 9,
  newline: 10,
  formFeed: 12,
  carriageReturn: 13,
  space: 32,
  exclamation: 33,
  doubleQuote: 34,
  ampersand: 38,
  singleQuote: 39,
  hyphen: 45,
  slash: 47,
  lessThan: 60,
  equals: 61,
  greaterThan: 62,
  question: 63,
} as const

export function isSpace(code: number): boolean {
  return code === 32 || (code <= 13 && (code === 10 || code === 9 || code === 13 || code === 12))
}

export function isLetter(code: number): boolean {
  const lower = code | 32
  return lower >= 97 && lower <= 122
}

/** The first position from `start` that is not white space. */
export function skipSpace(codes: Uint16Array, start: number, stop: number): number {
  let at = start
  while (at < stop && isSpace(codes[at]!)) at++
  return at
}
