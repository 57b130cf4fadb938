// A page to which rules are applied, with its confirmed values.
import type { Json } from '../../model/record.ts'
import type { FlatDocument, NodeId } from '../document/index.ts'
import type { RulesContext } from '../rules/index.ts'

export interface RuledPage {
  document: FlatDocument
  context: RulesContext
}

/** A page of the job, and values from the model that occur on this page. */
export interface ConfirmedPage {
  page: RuledPage
  rows: ConfirmedRow[]
}
export interface ConfirmedRow {
  scope: NodeId
  values: Map<string, Json>
}
