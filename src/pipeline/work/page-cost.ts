// Decides from the bytes of a page whether parsing it may block a lane for long.

/** Pages with more bytes are costly, because they may need more memory than a lane has. */
const costlyBytes = 1_000_000
/** Pages with fewer bytes are never costly. Most pages are that small, so the weight of most pages is not computed. */
const cheapBytes = 100_000

/** The cost of a start or end tag, compared with a character that Markdown escapes or a value of JSON. */
const tagWeight = 8
/** A page with a larger weight is costly. Parsing such a page takes 50 to 200 ms. Of 395 real pages between 100 KB and
 *  1 MB, the largest weight was 159,400. */
const costlyWeight = 240_000

const weights = new Uint8Array(256)
for (const character of '\\*_`[]{},$&') weights[character.charCodeAt(0)] = 1
weights['<'.charCodeAt(0)] = tagWeight

/** Whether another process should parse the page. */
export function isCostlyPage(body: Buffer): boolean {
  if (body.length > costlyBytes) return true
  if (body.length < cheapBytes) return false
  let weight = 0
  for (let index = 0; index < body.length; index++) weight += weights[body[index]!]!
  return weight > costlyWeight
}
