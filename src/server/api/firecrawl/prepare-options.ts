// Completes the scrape options of a request with the service's proxies and its language model.
import type { Caller } from '../../../model/access.ts'
import { Failure } from '../../../model/failures.ts'
import type { Server } from '../../parts.ts'
import { type JsonSchema, type ScrapeOptions, scrapeOptionsOf } from './options.ts'
import { withProxies } from './proxies.ts'
import type { TheirOptions } from './schemas.ts'

/** The settings that configure a model. Messages name them when no model is set up. */
export const modelSettings = 'SCRAPER_LLM_BASE_URL and SCRAPER_LLM_MODEL'

export interface PreparedOptions extends ScrapeOptions {
  /** Number of tokens that the model used before the job was created. `countTokens` adds them to the job. */
  tokens: number
}

export async function preparedOptions(
  server: Server,
  caller: Caller,
  asked: TheirOptions,
): Promise<PreparedOptions> {
  const { jsonPrompt, ...options } = withProxies(server, caller, scrapeOptionsOf(asked))
  if (options.formats.includes('summary') && !server.parts.model)
    throw new Failure(
      'feature.missing',
      `formats: "summary" needs a language model; the operator sets ${modelSettings}. Leave it out, or use markdown`,
      { path: 'formats' },
    )
  if (jsonPrompt === undefined) return { ...options, tokens: 0 }
  const named = await proposedSchema(server, caller, jsonPrompt)
  if ('why' in named)
    return { ...options, tokens: named.tokens, warnings: [...options.warnings, withoutSchema(named.why)] }
  return { ...options, tokens: named.tokens, json: { schema: named.schema, prompt: jsonPrompt } }
}

const withoutSchema = (why: string): string =>
  `formats: json with only a prompt was left out: ${why}; name the fields in a JSON Schema`

/** Lets the model propose a schema for a prompt. */
export async function proposedSchema(
  { parts }: Server,
  { workspace }: Caller,
  prompt: string,
): Promise<({ schema: JsonSchema } | { why: string }) & { tokens: number }> {
  if (!parts.model) return { why: `no language model is set up (${modelSettings})`, tokens: 0 }
  const told = await parts.model.proposeSchema(workspace, prompt)
  return 'why' in told ? told : { schema: told.value, tokens: told.tokens }
}

export async function countTokens({ parts }: Server, jobId: string, tokens: number): Promise<void> {
  if (tokens > 0) await parts.store.jobs.spend(jobId, tokens)
}
