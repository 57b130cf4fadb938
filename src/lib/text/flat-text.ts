// Copies a short text out of a large one. V8 keeps the whole page alive for every slice of it, and links wait for a group.

const mostBytes = 8_192
const copied = Buffer.allocUnsafeSlow(mostBytes)

/** The same text with its own memory. Only for ASCII; a text of more than 8,192 characters is returned as it is. */
export function flatText(text: string): string {
  if (text.length > mostBytes) return text
  return copied.toString('latin1', 0, copied.write(text, 'latin1'))
}
