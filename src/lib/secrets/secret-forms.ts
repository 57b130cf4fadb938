// The forms of a secret in text: plain, or encoded for HTML, JSON, a URL or a header.

/** Minimum length of a secret. Shorter values occur in pages by chance, and removing them would mangle words. */
export const leastSecretLength = 6

/** The text that replaces a secret. It is valid in URLs, headers and JSON. */
export const cutMark = 'REDACTED'

export function formsOf(value: string): string[] {
  const base64 = Buffer.from(value).toString('base64')
  const escaped = value.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;')
  return [
    value,
    value.toWellFormed(),
    encodeURIComponent(value.toWellFormed()),
    encodeURIComponent(value.toWellFormed()).replaceAll('%20', '+'),
    JSON.stringify(value).slice(1, -1),
    escaped,
    escaped.replaceAll('"', '&quot;').replaceAll("'", '&#39;'),
    base64,
    base64.replace(/=+$/, ''),
    Buffer.from(value).toString('base64url'),
  ]
}
