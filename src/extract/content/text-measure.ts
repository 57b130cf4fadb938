// Measures how long a text is for a reader, and how many sentences end in it.

interface TextMeasure {
  /** Number of characters. A run of white space counts as one. Characters of scripts without spaces between words count
   *  double. */
  length: number
  /** Number of sentence ends. */
  marks: number
}

const empty: TextMeasure = { length: 0, marks: 0 }

const isSpace = (code: number): boolean => code <= 32 || code === 0xa0

/** The codes of `. ! ?` and of the corresponding marks of other scripts. */
export const sentenceMarks: ReadonlySet<number> = new Set([
  ...[46, 33, 63],
  ...[0x3002, 0xff01, 0xff1f, 0x2026, 0x061f, 0x0964, 0x06d4],
])

/** The first and the last code of Chinese, Japanese and Korean characters and full-width symbols. */
export const wideCodes = [0x2e80, 0xffef] as const

export function measure(text: string): TextMeasure {
  let length = 0
  let marks = 0
  let wasSpace = true
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at)
    if (isSpace(code)) {
      if (!wasSpace) length++
      wasSpace = true
      continue
    }
    wasSpace = false
    length++
    if (code >= wideCodes[0] && code <= wideCodes[1]) length++
    if (sentenceMarks.has(code) && endsSentence(code, at + 1 === text.length ? -1 : text.charCodeAt(at + 1)))
      marks++
  }
  if (length === 0) return empty
  return { length: wasSpace ? length - 1 : length, marks }
}

/** `next` is the code of the following character, or -1 at the end of the text. A dot inside a number or an address
 *  ends no sentence. */
export function endsSentence(code: number, next: number): boolean {
  if (code >= 0x3000 || next === -1) return true
  return isSpace(next) || next === 34 || next === 39 || next === 41 || next === 0x201d || next === 0x2019
}
