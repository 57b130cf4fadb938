// What running actions takes and gives: the plan, what it is done with, and what came of it.
import type { Page } from 'playwright-core'
import type { Redactor } from '../../lib/secrets/redactor.ts'
import type { ExtractionRules } from '../../model/extraction-rules.ts'
import type { Action } from '../../model/page/actions.ts'
import type { Artifact } from '../../model/policy/rendering.ts'
import type { Extracted, Json } from '../../model/record.ts'
import type { Secrets } from '../../ports/secrets.ts'
import type { DownloadKept } from '../browser/driver.ts'

export interface ActionPlan {
  /** The page that is open. A `goto` there as the first navigation is done already. */
  url: string
  actions: readonly Action[]
  /** The task's input row, for `{{row.name}}` and recorded parameters. */
  row: Record<string, unknown>
  navigationMs: number
  /** A pause of this length, by chance, before every action; null for none. */
  actionDelayMs: { min: number; max: number } | null
}

export interface ActionParts {
  secrets: Secrets
  /** Learns every secret that is used, so that the caller can cut them from markup, artifacts and messages. */
  redactor: Redactor
  /** Rules over markup, null for those of the job (or its default record): the pipeline brings it, as stages know no other stage. */
  extract: (html: string, url: string, rules: ExtractionRules | null) => Extracted[] | Promise<Extracted[]>
  /** Asked before the page goes on to another document, redirects included; rejects with the Failure that ends the run. */
  beforeNavigation?: (url: string) => Promise<void>
  downloadKept: DownloadKept
  /** For the pauses; `Math.random` where nothing else is given. */
  random?: () => number
}

/** One step that was done, in the order in which it happened: steps of loops come once for each round. */
export interface StepNote {
  /** Like `actions[3].steps[0]`. */
  path: string
  type: string
  tookMs: number
  /** Which selector found the element, and which of several that was, from 0. */
  selector?: string
  alternative?: number
}

export interface Performed {
  /** What `extract` steps gave, in order; null when there was none, and the page itself is to be read. */
  extracted: Extracted[] | null
  /** What `evaluate` steps with a name gave, by their names; undefined when there was none. */
  value: Json | undefined
  /**
   * Screenshots and PDFs of steps, numbered from the second one on; and `steps` where another than a step's first selector won: then the
   * page has changed since it was written or recorded.
   */
  artifacts: Artifact[]
  steps: StepNote[]
}

/**
 * Does the actions in an open page; the page as they leave it is read by whoever loaded it. Rejects with a `Failure`:
 * `action.failed` with the step's path, type and address in its details, `secret.missing`, `download.too-large`,
 * `browser.crashed`, or the signal's own reason. Secrets are in none of what comes back or is thrown.
 */
export type PerformActions = (
  page: Page,
  plan: ActionPlan,
  parts: ActionParts,
  signal: AbortSignal,
) => Promise<Performed>
