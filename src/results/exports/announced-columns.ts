// The columns that extraction rules define before the first record exists, as column keys.
import type { ExtractionRules, FieldRule } from '../../model/extraction-rules.ts'
import type { TableShape } from '../../model/table-shape.ts'
import { columnKey, currencyKey } from './table-rows.ts'

/** The column keys, in the order of the rules. Fields with unknown inner structure get further columns when their
 *  records are read. */
export const announcedColumns = ({ fields }: ExtractionRules, { explode }: TableShape): string[] =>
  keysOf(fields, [], explode)

const keysOf = (
  fields: Record<string, string | FieldRule>,
  path: string[],
  explode: string | undefined,
): string[] => Object.entries(fields).flatMap(([name, rule]) => keysOfField([...path, name], rule, explode))

function keysOfField(path: string[], rule: string | FieldRule, explode: string | undefined): string[] {
  const key = columnKey('data', ...path)
  if (typeof rule === 'string') return [key]
  if (rule.many === true && path.join('.') !== explode) return [key]
  if (rule.fields) return keysOf(rule.fields, path, explode)
  return rule.as === 'money' ? [key, currencyKey(key)] : [key]
}
