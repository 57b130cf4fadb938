// The language model of a job. Its tokens are limited, and its answers are cached.

import { hash } from 'node:crypto'
import { Limiter } from '../../lib/limiter.ts'
import type { Blobs } from '../../ports/blobs.ts'
import {
  askModel,
  defaultLimits,
  estimatedTokens,
  type LlmLimits,
  type LlmSettings,
  type Question,
} from './client.ts'
import type { Budget } from './token-budget.ts'

interface ModelParts {
  /** Null if no model is configured. */
  settings: LlmSettings | null
  budget: Budget
  /** The workspace of the job. Workspaces do not share cached answers. */
  workspace: string
  /** Cache of the model's answers, by question. */
  cache: Pick<Blobs, 'get' | 'put'>
  signal: AbortSignal
  limits?: Partial<LlmLimits> | undefined
}

type Told = { content: string } | { why: string }

/** Key prefix of the cached answers of all workspaces. */
const answersPrefix = 'llm/'
const deletedAtOnce = 1_000

/** Deletes cached answers that are older than `before` (epoch ms). With `dryRun`, only counts them. */
export async function forgetModelAnswers(
  blobs: Pick<Blobs, 'list' | 'delete'>,
  before: number,
  { dryRun = false } = {},
): Promise<{ removed: number; bytes: number }> {
  const old: string[] = []
  const freed = { removed: 0, bytes: 0 }
  for await (const { key, bytes, modifiedAt } of blobs.list(answersPrefix)) {
    if (modifiedAt >= before) continue
    freed.removed += 1
    freed.bytes += bytes
    if (!dryRun) old.push(key)
    if (old.length >= deletedAtOnce) await blobs.delete(old.splice(0))
  }
  if (old.length > 0) await blobs.delete(old)
  return freed
}

/** Maximum number of concurrent requests of one lane. The model is shared and slow. */
const maxAtOnce = 4

export class Model {
  readonly #parts: ModelParts
  readonly #limits: LlmLimits
  readonly #limiter = new Limiter(maxAtOnce)

  constructor(parts: ModelParts) {
    this.#parts = parts
    this.#limits = { ...defaultLimits, ...parts.limits }
  }

  get name(): string {
    return this.#parts.settings?.model ?? 'none'
  }

  /** `about` is the content of the page, which is part of the cache key. Answers that `accepts` refuses are not cached. */
  async ask(question: Question, about: string, accepts: (content: string) => boolean): Promise<Told> {
    const { settings, workspace, cache } = this.#parts
    if (settings === null)
      return { why: 'no language model is configured (SCRAPER_LLM_BASE_URL, SCRAPER_LLM_MODEL)' }
    // The cache key leaves out the user text, because it contains random markers around the page.
    const { system, schema, maxTokens } = question
    const asked = [workspace, settings.baseUrl, settings.model, system, schema, maxTokens, about]
    const key = `${answersPrefix}${hash('sha256', JSON.stringify(asked))}.json`
    const known = await cache.get(key)
    if (known) return { content: known.toString() }
    const told = await this.#limiter.run(() => this.#pay(settings, question))
    if ('content' in told && accepts(told.content)) await cache.put(key, Buffer.from(told.content))
    return told
  }

  async #pay(settings: LlmSettings, question: Question): Promise<Told> {
    const { budget, signal } = this.#parts
    const reserved = estimatedTokens(question)
    if (!(await budget.reserve(reserved))) return { why: `the job's ${budget.limit} tokens are used up` }
    let used = 0
    try {
      const answer = await askModel(settings, question, this.#limits, signal)
      used = answer.tokens ?? 0
      return answer
    } finally {
      await budget.settle(reserved, used)
    }
  }
}
