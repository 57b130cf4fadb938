// Compares the results of a field's rules with known values.
import { isDeepStrictEqual } from 'node:util'
import type { Json } from '../../model/record.ts'
import type { NodeId } from '../document/index.ts'
import { applyRulesToAll, type CompiledField, type CompiledRules } from '../rules/index.ts'
import type { ConfirmedPage, RuledPage } from './ruled-page.ts'

/** Null if the rules find all confirmed values; otherwise a description of the first difference. */
export async function disagreement(
  rules: CompiledRules,
  { name }: CompiledField,
  confirmed: ConfirmedPage[],
): Promise<string | null> {
  for (const { page, rows } of confirmed) {
    const values = await valuesBy(rules, name, page)
    for (const { scope, values: known } of rows)
      if (!isDeepStrictEqual(values.get(scope) ?? null, known.get(name)))
        return `on ${page.context.url} it finds ${shown(values.get(scope) ?? null)}, not ${shown(known.get(name)!)}`
  }
  return null
}

function shown(value: Json): string {
  if (value === null) return 'nothing'
  const text = JSON.stringify(value)
  return text.length > 80 ? `${text.slice(0, 80)}…` : text
}

/** Values of a field by scope element, which is the page or a row of `each`. */
export async function valuesBy(
  rules: CompiledRules,
  name: string,
  { document, context }: RuledPage,
): Promise<Map<NodeId, Json>> {
  const records = await applyRulesToAll(document, rules, context)
  const values = new Map<NodeId, Json>()
  for (const { scope, data } of records) {
    const value = data[name] ?? null
    if (value !== null && !(Array.isArray(value) && value.length === 0)) values.set(scope, value)
  }
  return values
}
