// The token budget of a job, counted in the store, so that all processes share it.
import type { Budget } from '../../extract/llm/token-budget.ts'
import type { Store } from '../../ports/store.ts'

export interface TokenStore {
  jobs: Pick<Store['jobs'], 'spend'>
}

/** The budget. If a process dies, the tokens that it had reserved count as spent. */
export const storeBudget = ({ jobs }: TokenStore, jobId: string, limit: number): Budget => ({
  limit,
  reserve: tokens => jobs.spend(jobId, tokens, limit),
  settle: async (reserved, used) => void (await jobs.spend(jobId, used - reserved)),
})
