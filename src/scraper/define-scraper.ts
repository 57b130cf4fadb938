// defineScraper: describes how a task becomes records. The definition is plain data without side effects.
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
  /** The input row of the task, after validation by the input schema. */
  input: Input
  /** The URL of the task; empty if its row has none. */
  url: string
  /** Fetches a page with the job's politeness limits. Without a URL, fetches the task's own page. Cookies are kept between
   *  calls. */
  open: (url?: string, options?: OpenOptions) => Promise<PageView>
  /** Submits a form of a page with these values in place of its own. Returns the page of the response. */
  submit: (form: FormView, values?: FormFields) => Promise<PageView>
  /**
   * Emits a record. Values that do not match the output schema are left out and noted in the provenance. `sources` names the
   * source of each field.
   */
  emit: (record: Output, sources?: Sources<Output>) => void
  /** Adds a URL to the job, if it is in the job's scope. `to` names the handler for its page, and `data` is passed to that
   *  handler. */
  follow: (url: string, options?: FollowOptions) => void
  /** Credentials of the provider that the scraper names in `credentials`, such as `username` and `password`. Empty if it names
   *  none. */
  credentials: Credential
  /** Converts text as people write it to values for records. */
  normalize: Normalizers
  signal: AbortSignal
}

/** The context of a handler. `Data` is the type of the data that `follow` passed: JSON values. */
export interface HandlerContext<Output, Data = RecordData> extends ScraperContext<{ url: string }, Output> {
  data: Data
}

/** A method type, so that TypeScript accepts handlers that declare a narrower type for their data. */
type Handler<Output> = { read(context: HandlerContext<Output>): void | Promise<void> }['read']

export type Sources<Output> = { [Field in keyof Output]?: FieldSource }

export interface OpenOptions {
  method?: 'GET' | 'POST'
  headers?: Record<string, string>
  /** Form fields, which are sent URL-encoded; or a body that is sent unchanged. */
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
  /** The default policy of jobs with this scraper; same fields as `policy` of a job. */
  policy?: PolicyInput
  /** The provider whose credentials `run` and the handlers get. */
  credentials?: string
  /** The kind of pages that the scraper accepts. A page of clearly another kind fails as `extract.wrong-page-kind` before
   *  `run`. */
  reads?: PageWanted
  /** Extraction rules, for a scraper without code. */
  rules?: ExtractionRules
  run?: (context: ScraperContext<OutputOf<In>, InputOf<Out>>) => void | Promise<void>
  /** Handlers by name. A handler parses the pages that `follow` added with its name as `to`. */
  handlers?: Record<string, Handler<InputOf<Out>>>
  /** Checks the records and the last opened page (null if there is none). If it returns or throws a message, the task fails as
   *  `extract.site-changed`. Use it to refuse an error page that looks like a success. */
  validate?: (records: Array<OutputOf<Out>>, page: PageView | null) => Verdict | Promise<Verdict>
}

/** The problem as a message; empty if there is none. */
export type Verdict = string | null | undefined | void

/** A validated definition. */
export interface Scraper extends ScraperDefinition {
  version: string
  name: string
  description: string
}

/** A scraper with the types of its records and rows, so that callers need not declare them. */
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
      `scraper id "${definition.id}" may contain letters, digits, ".", "_" and "-"`,
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
    ? `"${provider}" is not a provider id; use letters, digits, ".", "_" and "-"`
    : 'are for scrapers with code, because rules cannot log in'
  throw new Failure('input.invalid', `scraper ${id} can't be used: credentials: ${why}`, { id })
}

/** Validates the policy when the scraper is defined. Otherwise an error would show only when a job is
 *  submitted. */
function checkPolicy(id: string, policy: PolicyInput): void {
  const { error } = givenPolicy.safeParse(policy)
  if (!error) return
  const problems = problemsOf(error)
  const lines = problems.map(({ path, message }) => `policy.${path}: ${message}`)
  throw new Failure('input.invalid', `scraper ${id} can't be used: ${lines.join('; ')}`, { id, problems })
}
