// A line of a page's text, with facts from the markup.

export interface Line {
  text: string
  /** Name of the block element that contains the line: `h1`, `p`, `td`. */
  block: string
  /** Classes, ids and itemprops of the elements around the text, innermost first, in lower case. */
  marks: string
  /** Whether the line is outside of the main content: in navigation, an aside, a footer, or a comment. */
  isBeside: boolean
  /** The machine-readable value of a `time` element or a microformat `abbr`. */
  datetime: string | null
  /** Whether the whole line is a link. */
  isLink: boolean
}
