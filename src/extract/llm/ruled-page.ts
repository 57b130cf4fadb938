// A page as the rules see it.
import type { FlatDocument } from '../document/index.ts'
import type { RulesContext } from '../rules/index.ts'

export interface RuledPage {
  document: FlatDocument
  context: RulesContext
}
