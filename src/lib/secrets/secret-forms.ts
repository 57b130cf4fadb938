// How a secret may stand in text: as it is, or written for HTML, JSON, a URL or a header.

/** Shorter ones stand in pages by chance, and cutting them would tear words apart. */
export const leastSecretLength = 6

/** What stands where a secret stood; the same in a URL, a header and JSON. */
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
