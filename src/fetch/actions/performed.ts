// What running actions takes and gives: the request, what it is done with, and how it went.
import type { Action } from '../../model/actions.ts'
import type { ExtractionRules } from '../../model/extraction-rules.ts'
import type { Failure } from '../../model/failures.ts'
import type { Extracted, Json } from '../../model/record.ts'
import type { Artifact, BrowserPolicy } from '../../model/rendering.ts'
import type { Secrets } from '../../ports/secrets.ts'
import type { DrivenContext, LoadedPage, LoadRequest } from '../browser/driver.ts'

/** The page's own load, and what is done in it. Actions that begin with a `goto` of their own are not preceded by a load. */
export interface ActionRequest extends LoadRequest {
  actions: readonly Action[]
  /** The task's input row, for `{{row.name}}` and recorded parameters. */
  row: Record<string, unknown>
  /** What is kept of a run that failed. */
  keepOnFailure: BrowserPolicy['keepOnFailure']
  /** A pause of this length, by chance, between two actions; null for none. */
  actionDelayMs: { min: number; max: number } | null
}

export interface ActionParts {
  secrets: Secrets
  /** Rules over markup, null for those of the job (or its default record): the pipeline brings it, as stages know no other stage. */
  extract: (html: string, url: string, rules: ExtractionRules | null) => Extracted[] | Promise<Extracted[]>
  /** For the pauses; `Math.random` where nothing else is given. */
  random?: () => number
}

/** One step that was done, in the order in which it happened: steps of loops come once for each round. */
export interface StepNote {
  /** Like `actions[3].steps[0]`. */
  path: string
  type: string
  tookMs: number
  /** Which of several selectors found the element. */
  selector?: string
}

export interface Performed {
  /** Why it ended before the last step: `action.failed`, `secret.missing`, `browser.crashed`, or what the signal says. */
  failure: Failure | null
  /** The page as it was at the end; null where there was none any more to read. Secrets are cut from its markup. */
  page: LoadedPage | null
  /** What `extract` steps gave; null when there was none, and the page itself is to be read. */
  extracted: Extracted[] | null
  /** What `evaluate` steps with a name gave, by their names; undefined when there was none. */
  value: Json | undefined
  /** Screenshots, PDFs and downloads; of a failed run also what `keepOnFailure` asks for. */
  artifacts: Artifact[]
  steps: StepNote[]
}

/**
 * Loads the page, does the actions and reads what is there then. Never rejects for what goes wrong in a page: that is
 * `Performed.failure`, with what was kept of it. `context` must be Playwright's or patchright's.
 */
export type PerformActions = (
  context: DrivenContext,
  request: ActionRequest,
  parts: ActionParts,
  signal: AbortSignal,
) => Promise<Performed>
