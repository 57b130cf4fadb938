// The compiled form of a selector: a list of alternatives. Each is a chain of compounds, from right to left.

import type { Namespace } from '../namespaces.ts'

/** The relation of a compound to the compound on its left. */
export const combinator = { descendant: 0, child: 1, adjacent: 2, sibling: 3 } as const

export type AttributeOperator = 'exists' | 'equals' | 'element' | 'hyphen' | 'start' | 'end' | 'any' | 'not'

export type Test =
  | { is: 'attribute'; name: string; operator: AttributeOperator; value: string; ignoreCase: boolean }
  | { is: 'matching'; alternatives: Chain[]; negated: boolean }
  | { is: 'containing'; relatives: Chain[] }
  | { is: 'nth'; step: number; offset: number; ofType: boolean; fromEnd: boolean }
  /** For example `:nth-child(2 of .a)`: only matching siblings count. */
  | { is: 'nth-of'; step: number; offset: number; fromEnd: boolean; alternatives: Chain[] }
  /** Language ranges in lower case. */
  | { is: 'language'; ranges: string[] }
  | { is: 'namespace'; namespace: Namespace }
  | { is: 'only'; ofType: boolean }
  | { is: 'text'; text: string; ignoreCase: boolean }
  | { is: 'empty' | 'root' | 'scope' | 'link' | 'checked' | 'disabled' | 'enabled' }

/** Conditions on one element, such as `h1#top.big[lang]`. */
export interface Compound {
  /** Number of the tag name if it is in HTML, otherwise 0. */
  nameId: number
  /** The tag name if it is not in HTML, otherwise null. */
  ownName: string | null
  id: string | null
  classes: string[]
  tests: Test[]
  /** True if the compound stands for the element to which `:has(…)` is applied. */
  isAnchor: boolean
}

/** A chain from right to left. For `a > b c`: compounds c, b, a, and combinators descendant, child. */
export interface Chain {
  compounds: Compound[]
  combinators: number[]
}

export interface Selector {
  /** The selector as it was written. */
  readonly source: string
  readonly alternatives: Chain[]
  /** The attribute to return for each match, from `a::attr(href)`. Null if there is none. */
  readonly attribute: string | null
  /** True if the text of each match is returned, from `h1::text`. */
  readonly wantsText: boolean
}
