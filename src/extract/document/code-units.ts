// The characters of a page as numbers in an array: reading those is several times faster than asking a string.

/** Larger pages get a temporary array. */
const keptLength = 1 << 20

interface CodeUnits {
  /** One per character, and a zero behind the last. */
  codes: Uint16Array
  length: number
  hasNul: boolean
}

/** Used from the start of a parse to its end and by one parse at a time: parsing never waits. */
let kept = Buffer.alloc(0)
let keptCodes = new Uint16Array(0)
/** The text that is in them. */
let keptText = ''

/** The code units of a text that was just parsed cost nothing; they hold until the next parse. */
export function codesOf(text: string): Uint16Array {
  return text === keptText ? keptCodes : codeUnits(text).codes
}

/** The UTF-16 code units of a text; valid until the next call. */
export function codeUnits(text: string): CodeUnits {
  const length = text.length
  if (length >= keptLength) return unkeptCodeUnits(text)
  keptText = ''
  if (length >= keptCodes.length) {
    keptCodes = new Uint16Array(Math.max(length * 2, 1 << 15))
    kept = bytesOf(keptCodes)
  }
  const hasNul = findsNul(kept, text)
  kept.write(text, 'utf16le')
  keptCodes[length] = 0
  keptText = text
  return { codes: keptCodes, length, hasNul }
}

function unkeptCodeUnits(text: string): CodeUnits {
  const codes = new Uint16Array(text.length + 1)
  bytesOf(codes).write(text, 'utf16le')
  return { codes, length: text.length, hasNul: text.includes('\0') }
}

/** Searching the low bytes is fastest; the text itself is checked only if one is zero. */
function findsNul(scratch: Buffer, text: string): boolean {
  scratch.write(text, 'latin1')
  scratch[text.length] = 0
  return scratch.indexOf(0) < text.length && text.includes('\0')
}

function bytesOf(codes: Uint16Array): Buffer<ArrayBuffer> {
  return Buffer.from(codes.buffer as ArrayBuffer, 0, codes.byteLength)
}
