// The name of rules. It contains a content hash, so that a record shows which rules created it.
import { hash } from 'node:crypto'
import type { ExtractionRules } from '../../model/extraction-rules.ts'

const versionLength = 8

/** For example `rules@1f2e3d4c`. Comments and layout of the file do not change it; the order of fields does. */
export const rulesName = (rules: ExtractionRules): string =>
  `rules@${hash('sha256', JSON.stringify(rules), 'hex').slice(0, versionLength)}`
