// The token budget of a job, counted in the store, where all processes see it.
import type { Budget } from '../../extract/llm/token-budget.ts'
import type { Store } from '../../ports/store.ts'

export interface TokenStore {
  jobs: Pick<Store['jobs'], 'spend'>
}

/** Tokens that a process reserved before it died count as spent. */
export const storeBudget = ({ jobs }: TokenStore, jobId: string, limit: number): Budget => ({
  limit,
  reserve: tokens => jobs.spend(jobId, tokens, limit),
  settle: async (reserved, used) => void (await jobs.spend(jobId, used - reserved)),
})
