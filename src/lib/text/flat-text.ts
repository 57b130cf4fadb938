// Copies a short text out of a large one. V8 keeps a whole page in memory while any slice of it exists. Links of a page
// are kept until they are committed in a group, so slices would keep many pages.

const mostBytes = 8_192
const copied = Buffer.allocUnsafeSlow(mostBytes)

/** The same text in memory of its own. Only for ASCII. A text of more than 8,192 characters is returned unchanged. */
export function flatText(text: string): string {
  if (text.length > mostBytes) return text
  return copied.toString('latin1', 0, copied.write(text, 'latin1'))
}
