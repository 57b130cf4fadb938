// The compiled form of a selector: alternatives, each a chain of compounds from right to left.

import type { Namespace } from '../namespaces.ts'

/** The relation of a compound to the one at its left. */
export const combinator = { descendant: 0, child: 1, adjacent: 2, sibling: 3 } as const

export type AttributeOperator = 'exists' | 'equals' | 'element' | 'hyphen' | 'start' | 'end' | 'any' | 'not'

export type Test =
  | { is: 'attribute'; name: string; operator: AttributeOperator; value: string; ignoreCase: boolean }
  | { is: 'matching'; alternatives: Chain[]; negated: boolean }
  | { is: 'containing'; relatives: Chain[] }
  | { is: 'nth'; step: number; offset: number; ofType: boolean; fromEnd: boolean }
  /** `:nth-child(2 of .a)`: only siblings that match count. */
  | { is: 'nth-of'; step: number; offset: number; fromEnd: boolean; alternatives: Chain[] }
  /** Language ranges in lower case. */
  | { is: 'language'; ranges: string[] }
  | { is: 'namespace'; namespace: Namespace }
  | { is: 'only'; ofType: boolean }
  | { is: 'text'; text: string; ignoreCase: boolean }
  | { is: 'empty' | 'root' | 'scope' | 'link' | 'checked' | 'disabled' | 'enabled' }

/** Conditions on one element: `h1#top.big[lang]`. */
export interface Compound {
  /** Number of the tag name if HTML knows it, else 0. */
  nameId: number
  /** The tag name if HTML does not know it. */
  ownName: string | null
  id: string | null
  classes: string[]
  tests: Test[]
  /** Represents the element that `:has(…)` tests. */
  isAnchor: boolean
}

/** `a > b c`, read from the right: compounds c, b, a; combinators descendant, child. */
export interface Chain {
  compounds: Compound[]
  combinators: number[]
}

export interface Selector {
  /** The original text. */
  readonly source: string
  readonly alternatives: Chain[]
  /** From `a::attr(href)`: the attribute that is wanted of each match. */
  readonly attribute: string | null
  /** From `h1::text`: the text is wanted of each match. */
  readonly wantsText: boolean
}
