// Copies a short text out of a large one. V8 keeps a whole page in memory for every slice of it, and links are stored
// until a group is complete.

const mostBytes = 8_192
const copied = Buffer.allocUnsafeSlow(mostBytes)

/** The same text in memory of its own. Only for ASCII. A text of more than 8,192 characters is returned unchanged. */
export function flatText(text: string): string {
  if (text.length > mostBytes) return text
  return copied.toString('latin1', 0, copied.write(text, 'latin1'))
}
