// Elements that start a new line for a reader, and elements that are never read.
import { nameSet } from './document/index.ts'

/** Text before and after these elements is separated. */
export const blockElements: ReadonlySet<string> = new Set(
  (
    'address article aside blockquote body br caption center dd details dialog dir div dl dt fieldset figcaption figure ' +
    'footer form h1 h2 h3 h4 h5 h6 header hgroup hr html legend li main menu nav ol optgroup option p pre search section ' +
    'select summary table tbody td tfoot th thead title tr ul'
  ).split(' '),
)

/** The same by number, for loops over all nodes. */
export const blockTags = nameSet(...blockElements)

/** Their content is for programs. */
export const unreadElements: ReadonlySet<string> = new Set(
  'script style template noscript head iframe object svg math canvas noembed noframes datalist'.split(' '),
)
