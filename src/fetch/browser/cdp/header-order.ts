// Orders the headers of a navigation as Chromium does. Names have Chromium's letter case for HTTP/1.1.

/** Chromium adds Host, Connection, Sec-Fetch-…, Accept-Encoding and Cookie itself, at their usual positions. */
const chromiumOrder = [
  ...['Cache-Control', 'sec-ch-ua', 'sec-ch-ua-mobile', 'sec-ch-ua-platform', 'Upgrade-Insecure-Requests'],
  ...['User-Agent', 'Accept', 'Referer', 'Accept-Language'],
]

/** Converts headers with lower-case names to the list for `Fetch.continueRequest`. Headers that Chromium does not send
 *  are placed before Referer and Accept-Language. */
export function inOrder(headers: Record<string, string>): Array<{ name: string; value: string }> {
  const known = chromiumOrder.flatMap(name => {
    const value = headers[name.toLowerCase()]
    return value === undefined ? [] : [{ name, value }]
  })
  const names = new Set(chromiumOrder.map(name => name.toLowerCase()))
  const others = Object.entries(headers).flatMap(([name, value]) =>
    names.has(name) ? [] : [{ name, value }],
  )
  const last = known.findIndex(({ name }) => name === 'Referer' || name === 'Accept-Language')
  return last < 0 ? [...known, ...others] : known.toSpliced(last, 0, ...others)
}
