// Parses filters on fields as people type them: `price<50`, `title~lamp`, `stock!=0`, `sku`, `!sku`.
import { Failure } from '../../model/failures.ts'
import type { Comparison, FieldFilter } from '../../model/record-query.ts'

const signs: Record<string, Comparison> = {
  '=': 'eq',
  '==': 'eq',
  '!=': 'ne',
  '<': 'lt',
  '<=': 'lte',
  '>': 'gt',
  '>=': 'gte',
  '~': 'contains',
}

/** A value that is a number, true or false gets that type. A value in quotes is text. */
export function parseFilter(text: string): FieldFilter {
  const [, field = '', sign = '', value = ''] =
    /^([^=!<>~]+?)\s*(==|!=|<=|>=|=|<|>|~)\s*(.*)$/s.exec(text.trim()) ?? []
  // Only comparisons for equality accept an empty value.
  const isWhole = value !== '' || ['=', '==', '!='].includes(sign)
  if (field !== '' && sign !== '' && isWhole) return { field, is: signs[sign]!, value: typedValue(value) }
  const [, not, name] = /^(!?)([^=!<>~\s]+)$/.exec(text.trim()) ?? []
  if (name) return { field: name, is: 'exists', value: not === '' }
  throw new Failure(
    'input.invalid',
    `filter: "${text.slice(0, 100)}" is not a filter; write price<50, title~lamp or stock!=0, or only sku for records that have this field`,
    { path: 'filter' },
  )
}

function typedValue(text: string): FieldFilter['value'] {
  const [, quoted] = /^"(.*)"$/s.exec(text) ?? []
  if (quoted !== undefined) return quoted
  if (text === 'true' || text === 'false') return text === 'true'
  return /^-?\d+(\.\d+)?([eE][+-]?\d+)?$/.test(text) ? Number(text) : text
}
