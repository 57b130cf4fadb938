// User agents and headers that pretend to be the browser of a person. Using one needs the consent `browser_headers`.

/** Whether the user agent pretends to be a browser. A user agent does not pretend if it does not start with `Mozilla/`,
 *  or if it contains `compatible;` or a link (`+https:`). */
export const isBrowserName = (userAgent: string | undefined): boolean =>
  userAgent !== undefined && /^mozilla\/\d/i.test(userAgent) && !/compatible;|\+https?:/i.test(userAgent)

/** The user agent of a browser in a list of headers, or undefined. */
export function browserNameIn(headers: Iterable<readonly [name: string, value: string]>): string | undefined {
  for (const [name, value] of headers)
    if (name.toLowerCase() === 'user-agent' && isBrowserName(value)) return value
  return undefined
}

/** Whether only browsers send this header. True for client hints (`Sec-CH-`) and headers with the context of a request
 *  (`Sec-Fetch-`). */
export const isBrowserHint = (header: string): boolean => /^sec-(ch|fetch)-/i.test(header)
