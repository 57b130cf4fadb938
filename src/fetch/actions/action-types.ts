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
  /** The URL of the open page. A `goto` to this URL as the first step does nothing. */
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
  /** Awaited before each step. Does not resolve while a person controls the page. */
  beforeStep?: (step: { path: string; type: string }) => Promise<void>
  /** Called after each successful step. Not called for steps that contain other steps. */
  afterStep?: (page: Page, step: { path: string; type: string }) => Promise<void>
  /** Random source of the pauses. Default: `Math.random`. */
  random?: () => number
}

/** One executed step. A step in a loop has one note per round. */
export interface StepNote {
  /** The place in the list of actions, such as `actions[3].steps[0]`. */
  path: string
  type: string
  tookMs: number
  /** The selector that found the element, and its index among the alternatives, from 0. */
  selector?: string
  alternative?: number
}

export interface Performed {
  /** Results of `extract` steps, in order. Null if there was no such step; the caller then parses the page itself. */
  extracted: Extracted[] | null
  /** Results of named `evaluate` steps, by name. Undefined if there was no such step. */
  value: Json | undefined
  /** Screenshots and PDFs of steps. A repeated name gets a number, starting with 2. If a step matched only a fallback
   *  selector, the page has changed since its recording. Then the artifact `steps` lists all steps. */
  artifacts: Artifact[]
  steps: StepNote[]
}

/** Runs the actions in an open page. The caller then reads the page. Rejects with the signal's reason or with a
 *  `Failure`: `action.failed` (path, type and URL of the step in its details), `secret.missing`, `download.too-large` or
 *  `browser.crashed`. Results and errors never contain secrets. */
export type PerformActions = (
  page: Page,
  plan: ActionPlan,
  parts: ActionParts,
  signal: AbortSignal,
) => Promise<Performed>
