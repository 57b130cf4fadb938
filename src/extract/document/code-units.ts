// The characters of a page as numbers in an array. Reading them is several times faster than reading a string.

/** Pages shorter than this many characters use the shared memory. Longer pages get a temporary array. */
const keptLength = 1 << 20

interface CodeUnits {
  /** The UTF-16 code units, followed by a zero. */
  codes: Uint16Array
  length: number
  hasNul: boolean
}

/** Reusable memory. Only one parse uses it at a time, because parsing is synchronous. */
let kept = Buffer.alloc(0)
let keptCodes = new Uint16Array(0)
/** The text whose code units are in `keptCodes`. */
let keptText = ''

/** The code units of a text, valid until the next parse. Costs nothing if the text was the last one that was parsed. */
export function codesOf(text: string): Uint16Array {
  return text === keptText ? keptCodes : codeUnits(text).codes
}

/** The UTF-16 code units of a text, valid until the next call. */
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

/** Searches a Latin-1 copy of the text, which is fastest. In this copy, characters such as U+0100 are a zero
 *  byte too, so `text` confirms a match. */
function findsNul(scratch: Buffer, text: string): boolean {
  scratch.write(text, 'latin1')
  scratch[text.length] = 0
  return scratch.indexOf(0) < text.length && text.includes('\0')
}

function bytesOf(codes: Uint16Array): Buffer<ArrayBuffer> {
  return Buffer.from(codes.buffer as ArrayBuffer, 0, codes.byteLength)
}
