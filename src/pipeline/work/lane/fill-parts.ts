// The language model of a job: its settings, its token budget, and the rules that it proposes.
import type { LlmSettings } from '../../../extract/llm/client.ts'
import type { FillParts } from '../../../extract/llm/fill-missing.ts'
import { Model } from '../../../extract/llm/model.ts'
import { type GoldenPages, ProposedRules } from '../../../extract/llm/proposed-rules.ts'
import { type Budget, openLedger, ProposalTurn, TokenBudget } from '../../../extract/llm/token-budget.ts'
import type { CompiledRules } from '../../../extract/rules/index.ts'
import type { LaneJob } from '../../../model/lane.ts'
import type { Blobs } from '../../../ports/blobs.ts'
import { proposedRulesKey } from '../../../results/keys.ts'
import type { Scraper } from '../../../scraper/define-scraper.ts'

export interface ModelParts {
  blobs: Blobs
  /** The operator's language model, for jobs that may use one. */
  llm?: LlmSettings | null
  /** The golden pages that proposed rules must pass; null for a scraper without any. */
  golden?: ((scraper: Scraper) => Promise<GoldenPages | null>) | undefined
  /** Aborts requests to the model. */
  signal?: AbortSignal
  /** Returns the token budget of a job, if several processes share the budget. */
  budgetOf?: ((jobId: string, limit: number) => Budget) | undefined
}

export function fillParts(
  { id, workspace, spec, llmLedger = openLedger() }: LaneJob,
  { llm, golden, signal, blobs, budgetOf }: ModelParts,
  scraper: Scraper,
  compiled: CompiledRules,
): FillParts {
  const model = new Model({
    ...{ settings: llm ?? null, workspace },
    budget: budgetOf?.(id, spec.llmTokens) ?? new TokenBudget(spec.llmTokens, llmLedger),
    cache: blobs,
    signal: signal ?? new AbortController().signal,
  })
  if (spec.llm !== 'propose-rules') return { model, proposals: null }
  const turn = new ProposalTurn(llmLedger)
  const parts = { model, blobs, key: proposedRulesKey(id), turn }
  // The golden pages belong to the scraper's rules. Rules of the job have none.
  const ofScraper = async () => (spec.extract ? null : ((await golden?.(scraper)) ?? null))
  const rules = spec.extract ?? scraper.rules!
  return { model, proposals: new ProposedRules({ ...parts, rules, golden: once(ofScraper) }, compiled) }
}

function once<Value>(make: () => Promise<Value>): () => Promise<Value> {
  let made: Promise<Value> | null = null
  return () => {
    made ??= make()
    return made
  }
}
