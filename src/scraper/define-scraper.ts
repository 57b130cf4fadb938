// defineScraper: describes how a task becomes records. Plain data; nothing happens here.
import type { ExtractionRules } from '../model/extraction-rules.ts'
import { Failure } from '../model/failures.ts'
import { idPattern } from '../model/ids.ts'
import type { PolicyInput } from '../model/policy.ts'
import type { RecordData } from '../model/record.ts'
import type { InputOf, OutputOf, StandardSchema } from '../model/standard-schema.ts'
import type { PageView } from './page-view.ts'

export interface ScraperContext<Input, Output> {
  /** The row of the task, as the input schema gave it. */
  input: Input
  /** The task's URL; empty for a row that names none. */
  url: string
  /** Fetches a page under the job's politeness; without a URL the task's own. Cookies are kept between calls. */
  open: (url?: string, options?: OpenOptions) => Promise<PageView>
  /** Hands on a record. It is checked against the output schema at once. */
  emit: (record: Output) => void
  /** Adds a URL of the job's scope to the job. */
  follow: (url: string) => void
  signal: AbortSignal
}

export interface OpenOptions {
  method?: 'GET' | 'POST'
  headers?: Record<string, string>
  /** Fields of a form (sent URL-encoded), or a body as it is. */
  form?: Record<string, string>
  body?: string
}

export interface ScraperDefinition<
  In extends StandardSchema = StandardSchema,
  Out extends StandardSchema = StandardSchema,
> {
  id: string
  version?: string
  name?: string
  description?: string
  input?: In
  output?: Out
  /** How its work is done where a job does not say otherwise: what `policy` of a job takes. */
  policy?: PolicyInput
  /** Fields by rule; for a scraper that needs no code. */
  rules?: ExtractionRules
  run?: (context: ScraperContext<OutputOf<In>, InputOf<Out>>) => void | Promise<void>
}

/** A definition that was checked. */
export interface Scraper extends ScraperDefinition {
  version: string
  name: string
  description: string
}

/** Remembers what its records look like, so that whoever reads them need not say. */
export interface TypedScraper<Out extends StandardSchema> extends Scraper {
  readonly records?: Out
}

export function defineScraper<
  In extends StandardSchema = StandardSchema<RecordData>,
  Out extends StandardSchema = StandardSchema<RecordData>,
>(definition: ScraperDefinition<In, Out>): TypedScraper<Out> {
  if (!idPattern.test(definition.id))
    throw new Failure(
      'input.invalid',
      `scraper id "${definition.id}" may hold letters, digits, ".", "_" and "-"`,
      { id: definition.id },
    )
  if (!definition.run === !definition.rules)
    throw new Failure('input.invalid', `scraper ${definition.id} needs either \`run\` or \`rules\``, {
      id: definition.id,
    })
  const named = { version: '1', name: definition.id, description: '', ...definition }
  return named as unknown as TypedScraper<Out>
}
