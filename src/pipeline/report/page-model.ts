// Asks the configured language model about stored pages and users' requests. Its responses are cached. Tokens count for the job.
import { hash } from 'node:crypto'
import type { LlmSettings } from '../../extract/llm/client.ts'
import { Model } from '../../extract/llm/model.ts'
import { schemaIn, schemaQuestion, summaryIn, summaryQuestion } from '../../extract/llm/page-questions.ts'
import type { Budget } from '../../extract/llm/token-budget.ts'
import type { Job } from '../../model/job.ts'
import type { Json } from '../../model/record.ts'
import type { Blobs } from '../../ports/blobs.ts'
import { storeBudget, type TokenStore } from '../work/store-budget.ts'

/** The value from the model's response, or why there is none. */
type Told<Value> = { value: Value } | { why: string }

/** The workspace and the job of a question. The tokens count for the job. `job` is null if the question belongs to no
 *  job. */
interface AskedFor {
  workspace: string
  job: Pick<Job, 'id' | 'spec'> | null
}

export interface PageModel {
  summarize(asked: AskedFor, text: string): Promise<Told<string>>
  /** Proposes a JSON Schema for a description in words. Also returns the spent tokens. */
  proposeSchema(
    workspace: string,
    prompt: string,
  ): Promise<Told<{ [key: string]: Json }> & { tokens: number }>
}

interface PageModelParts {
  settings: LlmSettings
  store: TokenStore
  blobs: Pick<Blobs, 'get' | 'put'>
  stopping: AbortSignal
}

export function openPageModel({ settings, store, blobs, stopping }: PageModelParts): PageModel {
  const modelOf = (workspace: string, budget: Budget) =>
    new Model({ settings, budget, workspace, cache: blobs, signal: stopping })
  return {
    async summarize({ workspace, job }, text) {
      const budget = job ? storeBudget(store, job.id, job.spec.llmTokens) : new OneQuestion()
      const model = modelOf(workspace, budget)
      const asked = await model.ask(
        summaryQuestion(text),
        digest(text),
        content => summaryIn(content) !== null,
      )
      return read(asked, summaryIn, `model ${settings.model} gave no summary`)
    },
    async proposeSchema(workspace, prompt) {
      const budget = new OneQuestion()
      const model = modelOf(workspace, budget)
      const asked = await model.ask(
        schemaQuestion(prompt),
        digest(prompt),
        content => schemaIn(content) !== null,
      )
      const told = read(asked, schemaIn, `model ${settings.model} named no fields for it`)
      return { ...told, tokens: budget.used }
    },
  }
}

const digest = (text: string): string => hash('sha256', text)

function read<Value>(
  asked: { content: string } | { why: string },
  valueIn: (content: string) => Value | null,
  nothing: string,
): Told<Value> {
  if ('why' in asked) return asked
  const value = valueIn(asked.content)
  return value === null ? { why: nothing } : { value }
}

/** The token budget of one question to the model that belongs to no job. */
class OneQuestion implements Budget {
  readonly limit = 20_000
  used = 0

  reserve(tokens: number): boolean {
    return tokens <= this.limit
  }

  settle(_reserved: number, used: number): void {
    this.used += used
  }
}
