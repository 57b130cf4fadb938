// User agents that pretend to be the browser of a person. Using one needs the consent `browser_headers`.

/** A name of its own, or one with "compatible" or a link, is honest. */
export const isBrowserName = (userAgent: string | undefined): boolean =>
  userAgent !== undefined && /^mozilla\/\d/i.test(userAgent) && !/compatible;|\+https?:/i.test(userAgent)

/** The user agent of a browser in a list of headers, or undefined. */
export function browserNameIn(headers: Iterable<readonly [name: string, value: string]>): string | undefined {
  for (const [name, value] of headers)
    if (name.toLowerCase() === 'user-agent' && isBrowserName(value)) return value
  return undefined
}
