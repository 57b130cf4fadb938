// A line of a page's text, with what the markup says about it.

export interface Line {
  text: string
  /** Name of the block that holds it: `h1`, `p`, `td`. */
  block: string
  /** Classes, ids and itemprops of the elements around the text, innermost first, in lower case. */
  marks: string
  /** Whether it stands in navigation, an aside, a footer, or a comment. */
  isBeside: boolean
  /** What a `time` in it says to programs, or an `abbr` of a microformat. */
  datetime: string | null
  /** Whether all of it is a link. */
  isLink: boolean
}
