// Query strings of links in a legacy page. Browsers write them in the page's encoding, and servers expect that.
import { percentEncodeIn } from './encodings.ts'

/** Percent-encodes non-ASCII characters in the queries of `href`, `src` and `action`. Paths need no change, because
 *  URLs always have them in UTF-8. */
export function encodeLinkQueries(source: string, encoding: string): string {
  return source.replace(links, (link: string) => (isAscii.test(link) ? link : encodeQuery(link, encoding)))
}

const links = /\s(?:href|src|action)\s*=\s*(?:"[^"]*"|'[^']*'|[^\s"'>]+)/gi
const isAscii = /^[\0-\x7f]*$/

function encodeQuery(link: string, encoding: string): string {
  const query = link.indexOf('?')
  // The start of the fragment. The `#` of a character reference such as `&#38;` does not count.
  const fragment = link.search(/(?<!&)#/)
  const end = fragment === -1 ? link.length : fragment
  if (query === -1 || query > end || otherScheme.test(link)) return link
  return link.slice(0, query) + percentEncodeIn(encoding, link.slice(query, end)) + link.slice(end)
}

/** URLs with other schemes, such as `mailto:`. Browsers write their queries in UTF-8. */
const otherScheme = /=\s*["']?\s*(?!https?:)[a-z][a-z0-9+.-]*:/i
