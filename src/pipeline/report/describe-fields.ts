// Proposes fields from a description in words: a model chooses elements of the page, and selectors are derived from these
// elements.
import { askModel, defaultLimits, type LlmSettings } from '../../extract/llm/client.ts'
import { type DescribedField, describedFields, pickQuestion } from '../../extract/llm/pick-question.ts'
import { Failure } from '../../model/failures.ts'
import type { PickAnswer } from '../../model/picking.ts'

interface DescribeParts {
  model: LlmSettings
  /** The outline of the page that is sent to the model. */
  outline: () => Promise<string>
  pickAll: (picks: DescribedField[]) => Promise<PickAnswer | null>
}

export async function describeFields(
  { model, outline, pickAll }: DescribeParts,
  prompt: string,
  signal: AbortSignal,
): Promise<PickAnswer> {
  const told = await askModel(model, pickQuestion(await outline(), prompt), defaultLimits, signal)
  const fields = 'content' in told ? describedFields(told.content) : null
  if (fields === null) {
    const why = 'why' in told ? told.why : 'its response does not have the requested format'
    throw new Failure(
      'feature.missing',
      `model ${model.model} proposed no fields: ${why}; select the fields in the page instead`,
    )
  }
  const answer = await pickAll(fields)
  if (answer) return answer
  throw new Failure(
    'item.unknown',
    `model ${model.model} found nothing for "${prompt}"; describe it in other words`,
  )
}
