// Elements that start a new line, and elements whose content readers never see.
import { nameSet } from './document/index.ts'

/** The text before and after these elements is separated. */
export const blockElements: ReadonlySet<string> = new Set(
  (
    'address article aside blockquote body br caption center dd details dialog dir div dl dt fieldset figcaption figure ' +
    'footer form h1 h2 h3 h4 h5 h6 header hgroup hr html legend li main menu nav ol optgroup option p pre search section ' +
    'select summary table tbody td tfoot th thead title tr ul'
  ).split(' '),
)

/** The same elements by tag number, for loops over all nodes. */
export const blockTags = nameSet(...blockElements)

/** Elements whose content is for programs, not for readers. */
export const unreadElements: ReadonlySet<string> = new Set(
  'script style template noscript head iframe object svg math canvas noembed noframes datalist'.split(' '),
)
