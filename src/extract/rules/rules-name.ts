// The name of rules: their content is their version, so that a record tells which rules made it.
import { hash } from 'node:crypto'
import type { ExtractionRules } from '../../model/extraction-rules.ts'

const versionLength = 8

/** Like `rules@1f2e3d4c`. Comments and layout of the file do not count; the order of fields does, as it does in the record. */
export const rulesName = (rules: ExtractionRules): string =>
  `rules@${hash('sha256', JSON.stringify(rules), 'hex').slice(0, versionLength)}`
