// A line of a page's text, with facts from the markup.

export interface Line {
  text: string
  /** Name of its block element: `h1`, `p`, `td`. */
  block: string
  /** Classes, ids and itemprops of the elements around the text, innermost first, in lower case. */
  marks: string
  /** Whether it is in navigation, an aside, a footer, or a comment. */
  isBeside: boolean
  /** The machine-readable value of a `time` element or a microformat `abbr`. */
  datetime: string | null
  /** Whether all of it is a link. */
  isLink: boolean
}
