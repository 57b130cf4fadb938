// Applies the rules first, then asks a model for missing fields that are required or wanted.
import type { Extracted, FieldSource, Json } from '../../model/record.ts'
import type { NodeId } from '../document/index.ts'
import { PageFacts } from '../page-facts.ts'
import {
  applyRulesToAll,
  type CompiledField,
  type CompiledRules,
  type IncompleteRecord,
} from '../rules/index.ts'
import { type Checked, checkField, type Evidence, parseAnswer } from './check-answer.ts'
import type { Model } from './model.ts'
import { pageExcerpt } from './page-excerpt.ts'
import type { ProposedRules } from './proposed-rules.ts'
import { excerptText, questionFor } from './question.ts'
import type { RuledPage } from './ruled-page.ts'

export interface FillParts {
  model: Model
  /** Null if the model returns only values and proposes no rules. */
  proposals: ProposedRules | null
}

/** If the model confirms that the page lacks a required field, the record is left out. If the model failed, or its
 *  value is not on the page, the field is null with the reason. */
export async function fillMissing(
  parts: FillParts,
  rules: CompiledRules,
  page: RuledPage,
): Promise<Extracted[]> {
  const records = await applyRulesToAll(page.document, rules, page.context)
  const filled = await Promise.all(records.map(record => fillRecord(parts, record, page, rules.prompt)))
  const confirmed = filled.filter(({ values }) => values.size > 0)
  await parts.proposals?.learn(
    page,
    confirmed.map(({ scope, values }) => ({ scope, values })),
  )
  return filled.map(({ record }) => record).filter(record => record !== null)
}

interface Filled {
  scope: NodeId
  /** Null if the record is left out. */
  record: Extracted | null
  /** Values by field, from the model. All of them occur on the page. */
  values: Map<string, Json>
}

async function fillRecord(
  parts: FillParts,
  record: IncompleteRecord,
  page: RuledPage,
  prompt: string | null,
): Promise<Filled> {
  const { data, provenance, scope } = record
  const found: Extracted = { data: { ...data }, provenance: { ...provenance } }
  const open = (await parts.proposals?.fill(page, record, found)) ?? record.missing
  if (open.length === 0) return { scope, record: found, values: new Map() }
  const checked = await askFor(parts.model, open, page, { scope, prompt })
  for (const [index, field] of open.entries()) take(found, field, checked[index]!, parts.model.name)
  const isLacking = checked.some((one, index) => 'absent' in one && open[index]!.required)
  return { scope, record: isLacking ? null : found, values: isLacking ? new Map() : valuesOf(open, checked) }
}

/** Asks the model for the fields. Returns one result per field, in the same order. */
async function askFor(
  model: Model,
  fields: CompiledField[],
  { document, context }: RuledPage,
  { scope, prompt }: { scope: NodeId; prompt: string | null },
): Promise<Checked[]> {
  const shown = pageExcerpt(document, scope, context.baseUrl, context.source)
  const told = await model.ask(
    questionFor(fields, shown, prompt),
    excerptText(shown),
    content => parseAnswer(content, fields) !== null,
  )
  if ('why' in told) return fields.map(() => told)
  const answer = parseAnswer(told.content, fields)
  if (answer === null)
    return fields.map(() => ({ why: 'the model’s answer does not have the requested shape' }))
  const { language } = new PageFacts(document)
  const evidence: Evidence = {
    page: shown,
    coerce: context.coerce,
    context: {
      baseUrl: context.baseUrl,
      language,
      machine: false,
      ...(context.fetchedAt !== undefined && { now: context.fetchedAt }),
    },
  }
  return fields.map(field => checkField(field, answer[field.name] ?? null, evidence))
}

function take({ data, provenance }: Extracted, field: CompiledField, checked: Checked, model: string): void {
  const { name } = field
  if ('value' in checked) {
    data[name] = checked.value
    provenance[name] = { from: 'llm', by: model }
  } else if ('why' in checked) {
    const before: FieldSource = provenance[name] ?? field.missing
    provenance[name] = { ...before, why: `${before.why ?? 'nothing found'}; ${checked.why}` }
  }
}

function valuesOf(fields: CompiledField[], checked: Checked[]): Map<string, Json> {
  const values = new Map<string, Json>()
  for (const [index, field] of fields.entries()) {
    const one = checked[index]!
    if ('value' in one) values.set(field.name, one.value)
  }
  return values
}
