// Remembers which pages need a browser, by host and URL pattern, for jobs with `render: auto`.
import { RecentMap } from '../lib/collections/recent-map.ts'

/** `look`: fetch over HTTP and check whether the page needs a browser. `browser`: similar pages needed one, so use it at
 *  once. `plain`: rendering did not help similar pages, so take the HTTP page. */
type RenderAdvice = 'look' | 'browser' | 'plain'

/** The result of a page: complete over HTTP, incomplete, or rendered with or without gain. */
export type RenderFinding = 'not-needed' | 'needed' | 'helped' | 'in-vain'

interface Pattern {
  /** HTTP pages in a row that needed a browser. */
  needed: number
  /** Rendered pages in a row for which the browser added nothing. */
  inVain: number
  /** How often advice was given since the last check of a page. */
  since: number
}

/** After this many pages in a row, the result is applied to similar pages. */
const enoughNeeded = 2
const enoughInVain = 3
/** After this many pages of a known pattern, one page is checked again, because sites change. */
const looksAgainAfter = 20
const mostPatterns = 20_000

export class RenderMemory {
  readonly #patterns = new RecentMap<string, Pattern>(mostPatterns)

  adviceFor(pattern: string): RenderAdvice {
    const known = this.#patterns.get(pattern)
    const rule = known ? ruleOf(known) : 'look'
    if (!known || rule === 'look') return 'look'
    known.since = (known.since + 1) % looksAgainAfter
    return known.since === 0 ? 'look' : rule
  }

  learn(pattern: string, finding: RenderFinding): void {
    const known = this.#patterns.get(pattern) ?? { needed: 0, inVain: 0, since: 0 }
    if (finding === 'needed') known.needed++
    if (finding === 'not-needed') known.needed = 0
    if (finding === 'in-vain') known.inVain++
    if (finding === 'helped') known.inVain = 0
    this.#patterns.set(pattern, known)
  }
}

function ruleOf({ needed, inVain }: Pattern): RenderAdvice {
  if (inVain >= enoughInVain) return 'plain'
  return needed >= enoughNeeded ? 'browser' : 'look'
}
