// Extraction rules: compile them once, apply them to every page.

export { applyRules, applyRulesToAll, type RulesContext } from './apply-rules.ts'
export { compileRules } from './compile-rules.ts'
export type { CompiledField, CompiledRules } from './compiled-rules.ts'
export { noRecordWarning, warnIfEmpty } from './no-match.ts'
export type { IncompleteRecord } from './record-reader.ts'
export { parseRulesFile } from './rules-file.ts'
