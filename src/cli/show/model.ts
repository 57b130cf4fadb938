// Prints the use of a language model by a job, for `jobs show`.
import { asksModel, type Job, type JobCounts } from '../../model/job.ts'
import type { Proposal, ProposedField } from '../../roles/local/look-up.ts'
import { safe } from '../talk.ts'

export function modelLines({ spec }: Job, { llmTokens }: JobCounts, proposal: Proposal | null): string[] {
  if (!asksModel(spec) && llmTokens === 0) return []
  return [
    `language model (llm: ${spec.llm}): ${llmTokens} of ${spec.llmTokens} tokens spent`,
    ...(proposal ? proposalLines(proposal) : []),
  ]
}

function proposalLines({ model, golden, fields }: Proposal): string[] {
  const entries = Object.entries(fields)
  return [
    `  rules proposed by ${safe(model)}, compared with ${golden}:${entries.length === 0 ? ' none' : ''}`,
    ...entries.map(([field, proposed]) => `    ${field}: ${verdictText(proposed)}`),
  ]
}

function verdictText(proposed: ProposedField): string {
  if (proposed.kept) return `${safe(proposed.css)}  kept`
  return `${proposed.css === null ? '-' : safe(proposed.css)}  dropped: ${safe(proposed.why)}`
}
