// defineScraper: describes how a task becomes records. Plain data without side effects.
import { problemsOf } from '../lib/text/problems.ts'
import type { ExtractionRules } from '../model/extraction-rules.ts'
import { Failure } from '../model/failures.ts'
import type { FollowOptions } from '../model/followed.ts'
import { idPattern } from '../model/ids.ts'
import { givenPolicy, type PolicyInput } from '../model/policy/policy.ts'
import type { FieldSource, RecordData } from '../model/record.ts'
import type { InputOf, OutputOf, StandardSchema } from '../model/standard-schema.ts'
import type { Credential } from '../ports/secrets.ts'
import type { Normalizers } from './normalizers.ts'
import type { PageWanted } from './page-fit.ts'
import type { FormFields, FormView, PageView } from './page-view.ts'

export interface ScraperContext<Input, Output> {
  /** The row of the task, as the input schema gave it. */
  input: Input
  /** The task's URL; empty for a row that names none. */
  url: string
  /** Fetches a page under the job's politeness; without a URL the task's own. Cookies are kept between calls. */
  open: (url?: string, options?: OpenOptions) => Promise<PageView>
  /** Sends a form of a page, with these values in place of its own, and gives the answer. */
  submit: (form: FormView, values?: FormFields) => Promise<PageView>
  /**
   * Emits a record. Values that do not match the output schema are left out and noted in its provenance. `sources` names where fields came
   * from.
   */
  emit: (record: Output, sources?: Sources<Output>) => void
  /** Adds a URL of the job's scope to the job. `to` names the handler that reads it, and `data` is passed to that. */
  follow: (url: string, options?: FollowOptions) => void
  /** Of the provider that the scraper names in `credentials`: `username`, `password`, … Empty where it names none. */
  credentials: Credential
  /** Text as people write it → values as records hold them. */
  normalize: Normalizers
  signal: AbortSignal
}

/** The context of a handler. `Data` is the type of what `follow` passed to it: values of JSON. */
export interface HandlerContext<Output, Data = RecordData> extends ScraperContext<{ url: string }, Output> {
  data: Data
}

/** Declared as a method, so that a handler may name a narrower type of its data. */
type Handler<Output> = { read(context: HandlerContext<Output>): void | Promise<void> }['read']

export type Sources<Output> = { [Field in keyof Output]?: FieldSource }

export interface OpenOptions {
  method?: 'GET' | 'POST'
  headers?: Record<string, string>
  /** Fields of a form (sent URL-encoded), or a body as it is. */
  form?: FormFields
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
  /** The provider whose credentials `run` and the handlers get. */
  credentials?: string
  /** Which pages it reads. A page that clearly is something else fails as `extract.wrong-page-kind` before `run` sees it. */
  reads?: PageWanted
  /** Fields by rule; for a scraper that needs no code. */
  rules?: ExtractionRules
  run?: (context: ScraperContext<OutputOf<In>, InputOf<Out>>) => void | Promise<void>
  /** Read the pages that `follow` names them for. */
  handlers?: Record<string, Handler<InputOf<Out>>>
  /** Checks the records and the last opened page (null if none): a returned or thrown message refuses an error page that
   *  looks like success. The task then fails as `extract.site-changed`. */
  validate?: (records: Array<OutputOf<Out>>, page: PageView | null) => Verdict | Promise<Verdict>
}

/** Empty if everything is fine, else the problem. */
export type Verdict = string | null | undefined | void

/** A definition that was checked. */
export interface Scraper extends ScraperDefinition {
  version: string
  name: string
  description: string
}

/** Keeps the types of its records and rows, so that callers need not declare them. */
export interface TypedScraper<Out extends StandardSchema, In extends StandardSchema = StandardSchema>
  extends Scraper {
  readonly records?: Out
  readonly rows?: In
}

export function defineScraper<
  In extends StandardSchema = StandardSchema<RecordData>,
  Out extends StandardSchema = StandardSchema<RecordData>,
>(definition: ScraperDefinition<In, Out>): TypedScraper<Out, In> {
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
  if (definition.handlers && !definition.run)
    throw new Failure(
      'input.invalid',
      `scraper ${definition.id}: handlers need \`run\`, which follows links to them`,
      {
        id: definition.id,
      },
    )
  checkProvider(definition.id, definition.credentials, definition.run !== undefined)
  checkPolicy(definition.id, definition.policy ?? {})
  const named = { version: '1', name: definition.id, description: '', ...definition }
  return named as unknown as TypedScraper<Out, In>
}

function checkProvider(id: string, provider: string | undefined, hasCode: boolean): void {
  if (provider === undefined || (hasCode && idPattern.test(provider))) return
  const why = hasCode
    ? `"${provider}" names no provider: letters, digits, ".", "_" and "-"`
    : 'are for scrapers with code; rules log in nowhere'
  throw new Failure('input.invalid', `scraper ${id} can't be used: credentials: ${why}`, { id })
}

/** A mistake in it is found when the scraper is defined, not when its first job is submitted. */
function checkPolicy(id: string, policy: PolicyInput): void {
  const { error } = givenPolicy.safeParse(policy)
  if (!error) return
  const problems = problemsOf(error)
  const lines = problems.map(({ path, message }) => `policy.${path}: ${message}`)
  throw new Failure('input.invalid', `scraper ${id} can't be used: ${lines.join('; ')}`, { id, problems })
}
