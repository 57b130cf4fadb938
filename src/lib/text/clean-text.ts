// Cleans text for a record or a terminal: no control characters, no escape sequences, white space collapsed.

/** Escape sequences of terminals are removed as a whole. If only ESC were removed, `ESC [ 2 J` would leave `[2J` in a
 *  title. */
const escapeSequence =
  /\x1b(?:\[[0-?]*[ -/]*[@-~]|\][^\x07\x1b\n]*(?:\x07|\x1b\\)?|[PX^_][^\x1b\n]*(?:\x1b\\)?|.)|\x9b[0-?]*[ -/]*[@-~]/g
/** Control characters, and invisible ones: soft hyphens, zero-width spaces, byte order marks. */
const controlExceptSpace = /[\0-\x08\x0e-\x1f\x7f-\x84\x86-\x9f\ufeff\u00ad\u200b\u2060]/g
const anyControl = /[\0-\x08\x0e-\x1f\x7f-\x9f\ufeff\u00ad\u200b\u2060]/
/** White space, except single spaces. If single spaces matched too, V8 would copy the text word by word. */
const unevenSpace = / [\s\x85]+|[^\S ][\s\x85]*|\x85[\s\x85]*/g

/** The text on one line: without control characters, with white space collapsed and trimmed. */
export function cleanText(text: string): string {
  const trimmed = text.trim()
  return isClean(trimmed) ? trimmed : cutControls(trimmed).replace(unevenSpace, ' ').trim()
}

/** Replaces each run of white space by one space. */
export const withSingleSpaces = (text: string): string => text.replace(/ \s+|[^\S ]\s*/g, ' ')

/** Removes control characters and escape sequences. Keeps white space. */
export function cutControls(text: string): string {
  if (!anyControl.test(text)) return text
  return text.replace(escapeSequence, '').replace(controlExceptSpace, '')
}

/** Most text of most pages is already clean, and checking is cheaper than replacing. */
function isClean(text: string): boolean {
  let afterSpace = true
  for (let i = 0; i < text.length; i++) {
    const code = text.charCodeAt(i)
    if (code === 32) {
      if (afterSpace) return false
      afterSpace = true
    } else {
      if (code < 32 || (code > 126 && isOddCode(code))) return false
      afterSpace = false
    }
  }
  return !afterSpace || text.length === 0
}

function isOddCode(code: number): boolean {
  if (code <= 0xa0 || code === 0xad) return true
  return code === 0x1680 || (code >= 0x2000 && code <= 0x2060) || code === 0x3000 || code === 0xfeff
}
