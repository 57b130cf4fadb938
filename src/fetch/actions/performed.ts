// Input and output types of an action run.
import type { Page } from 'playwright-core'
import type { Redactor } from '../../lib/secrets/redactor.ts'
import type { ExtractionRules } from '../../model/extraction-rules.ts'
import type { Action } from '../../model/page/actions.ts'
import type { Artifact } from '../../model/policy/rendering.ts'
import type { Extracted, Json } from '../../model/record.ts'
import type { Secrets } from '../../ports/secrets.ts'
import type { DownloadKept } from '../browser/driver.ts'

export interface ActionPlan {
  /** The URL of the open page. A first `goto` to it is already done. */
  url: string
  actions: readonly Action[]
  /** The task's input row, for `{{row.name}}` and recorded parameters. */
  row: Record<string, unknown>
  navigationMs: number
  /** A random pause in this range before every action; null for none. */
  actionDelayMs: { min: number; max: number } | null
}

export interface ActionParts {
  secrets: Secrets
  /** Collects every secret in use, so that the caller can remove them from markup, artifacts and messages. */
  redactor: Redactor
  /** Applies rules to markup; null means the job's rules or the default record. The pipeline supplies it, because stages do
   *  not import each other. */
  extract: (html: string, url: string, rules: ExtractionRules | null) => Extracted[] | Promise<Extracted[]>
  /** Called before the page navigates to another document, redirects included. A rejection ends the run. */
  beforeNavigation?: (url: string) => Promise<void>
  downloadKept: DownloadKept
  /** Awaited before each step; waits while a person has the page. */
  beforeStep?: (step: { path: string; type: string }) => Promise<void>
  /** Called after each step, also after a failed one. */
  afterStep?: (page: Page, step: { path: string; type: string }) => Promise<void>
  /** Random source of the pauses. Default: `Math.random`. */
  random?: () => number
}

/** One executed step, in order. Steps of loops occur once per round. */
export interface StepNote {
  /** Like `actions[3].steps[0]`. */
  path: string
  type: string
  tookMs: number
  /** The selector that found the element, and its index among the alternatives, from 0. */
  selector?: string
  alternative?: number
}

export interface Performed {
  /** Results of `extract` steps, in order; null without such steps: the page itself is parsed then. */
  extracted: Extracted[] | null
  /** Results of named `evaluate` steps, by name; undefined without such steps. */
  value: Json | undefined
  /** Screenshots and PDFs of steps, numbered from the second on. Also `steps`, if a fallback selector matched: the page has
   *  changed since it was recorded. */
  artifacts: Artifact[]
  steps: StepNote[]
}

/** Runs the actions in an open page. The caller then reads the page. Rejects with a `Failure`: `action.failed` with the
 *  step's path, type and URL in its details, `secret.missing`, `download.too-large`, `browser.crashed`, or the signal's
 *  reason. Secrets never occur in results or errors. */
export type PerformActions = (
  page: Page,
  plan: ActionPlan,
  parts: ActionParts,
  signal: AbortSignal,
) => Promise<Performed>
