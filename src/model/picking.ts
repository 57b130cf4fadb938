// Picking: the user clicks elements of a page, and the picker proposes fields and selectors.
import type { FieldType } from './extraction-rules.ts'

/** A node of the parsed page: its number in the attribute `data-kscrape-node` of the preview's markup. */
type PickedNode = number

/** A field that the user has picked already, with the elements that were clicked for it. */
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
  /** Selector of the rows that the user accepted. */
  each?: string | undefined
  fields?: KnownField[] | undefined
  /** The field that the click is another example of. Without it, the picker decides. */
  into?: string | undefined
}

export interface ProposedField extends KnownField {
  as?: FieldType | undefined
  many?: boolean | undefined
  /** Number of rows in which the field has a value. */
  filled: number
  /** The value of the field in the clicked row; null if it is empty. */
  example: string | null
  /** The element of the field in each row; -1 if the row has none. */
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
  /** The same fields with one record per page, instead of one record per row. */
  page: ProposedField[]
  nextPage: { css: string; url: string; include: string } | null
}
