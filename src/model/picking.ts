// What a user picks by clicking in a page, and the proposals for it.
import type { FieldType } from './extraction-rules.ts'

/** A node of the parsed page, as `data-kscrape-node` of the preview's markup numbers it. */
type PickedNode = number

/** A field that is known already, with the elements that were clicked for it. */
export interface KnownField {
  name: string
  css?: string | undefined
  xpath?: string | undefined
  attr?: string | undefined
  examples: PickedNode[]
}

export interface PickRequest {
  /** The element that was clicked. */
  node: PickedNode
  /** The rows that the user agreed to, as a selector. */
  each?: string | undefined
  fields?: KnownField[] | undefined
  /** The field that the click is another example of. Without it, the picker decides. */
  into?: string | undefined
}

export interface ProposedField extends KnownField {
  as?: FieldType | undefined
  many?: boolean | undefined
  /** Rows with a value. */
  filled: number
  /** Its value in the clicked row. */
  example: string | null
  /** One per row; -1 if the row has none. */
  nodes: PickedNode[]
}

export interface ProposedList {
  each: string
  rows: PickedNode[]
  /** The fields that were clicked, relative to the row. */
  fields: ProposedField[]
  /** Other parts of the rows that could be fields. */
  others: ProposedField[]
  /** The link of a row to its item's page. Null if most rows have no link. */
  detail: { field: string; url: string; include: string } | null
}

export interface PickAnswer {
  /** The field that this click added or changed. */
  changed: string
  /** Lists that contain all clicked elements, best first. */
  lists: ProposedList[]
  /** The same fields for the page as a whole, one record per page. */
  page: ProposedField[]
  nextPage: { css: string; url: string; include: string } | null
}
