// State of an action run: its position, its results, and the limits of every wait.
import { setTimeout as sleep } from 'node:timers/promises'
import type { CDPSession, Frame, Locator, Page } from 'playwright-core'
import { Failure } from '../../model/failures.ts'
import type { Action } from '../../model/page/actions.ts'
import type { Artifact } from '../../model/policy/rendering.ts'
import type { Extracted, Json } from '../../model/record.ts'
import { doneWithin, limitOf, raced } from '../browser/bounded.ts'
import type { ActionParts, ActionPlan, StepNote } from './action-types.ts'

/** The current element or value of a for-each step. */
export type Item = { is: 'value'; text: string } | { is: 'element'; in: (root: Frame) => Locator }

/** A step that is being executed. */
export interface Step {
  /** The place in the list of actions, such as `actions[3].steps[0]`. */
  path: string
  item: Item | null
  /** The selector that found the element, and its index among the alternatives, from 0. */
  found?: { selector: string; alternative: number }
}

/** How long a step waits for an element or an expression, unless the step sets its own timeout. */
const defaultTimeoutMs = 10_000
const lookEveryMs = 50
const detachWithinMs = 1_000
/** Maximum number of steps of one run. Each round of a loop counts. This bounds the whole run. */
const maxSteps = 10_000

export class ActionRun {
  readonly page: Page
  readonly plan: ActionPlan
  readonly parts: ActionParts
  readonly signal: AbortSignal
  readonly notes: StepNote[] = []
  readonly artifacts: Artifact[] = []
  readonly values: Record<string, Json> = {}
  extracted: Extracted[] | null = null
  /** True if a step has changed or queried the page. From then on, a `goto` to the loaded URL navigates again. */
  hasActed = false
  /** True if a value of the input row replaced a recorded value. URLs and titles may then differ from the recorded
   *  ones. */
  hasReplaced = false
  /** True if the recording closed the main page. The run leaves that page open, because the caller reads it afterwards. */
  isMainClosed = false
  readonly #sessions = new Map<Page, Promise<CDPSession>>()

  constructor(page: Page, plan: ActionPlan, parts: ActionParts, signal: AbortSignal) {
    this.page = page
    this.plan = plan
    this.parts = parts
    this.signal = signal
  }

  /** Resolves like `work`, or rejects when the signal of the run is aborted. */
  bounded<Value>(work: Promise<Value>): Promise<Value> {
    return raced(work, this.signal)
  }

  timeoutOf(action: Pick<Action, 'timeoutMs'>): number {
    return action.timeoutMs ?? defaultTimeoutMs
  }

  /** Polls `ask` until its result is not null. Rejects with `late` on timeout. */
  async until<Value>(timeoutMs: number, late: () => Error, ask: () => Promise<Value | null>): Promise<Value> {
    using limit = limitOf(timeoutMs, late())
    const either = AbortSignal.any([this.signal, limit.signal])
    for (;;) {
      const answer = await raced(ask(), either)
      if (answer !== null) return answer
      await raced(sleep(lookEveryMs), either)
    }
  }

  /** Evaluates statements or an expression. In the main frame, a CDP command runs the script in the main world, because
   *  `evaluate` of Playwright's forks may use another world. Child frames use `evaluate`. */
  async evaluate(frame: Frame, script: string): Promise<unknown> {
    if (frame.parentFrame() !== null) return this.bounded(frame.evaluate(script))
    const session = await this.bounded(this.session(frame.page()))
    const params = { expression: script, awaitPromise: true, returnByValue: true, userGesture: true }
    const { result, exceptionDetails } = await this.bounded(session.send('Runtime.evaluate', params))
    if (!exceptionDetails) return result.value
    const { exception, text } = exceptionDetails
    throw new Error(exception?.description ?? `${text} ${JSON.stringify(exception?.value)}`)
  }

  session(page: Page): Promise<CDPSession> {
    const known = this.#sessions.get(page) ?? page.context().newCDPSession(page)
    this.#sessions.set(page, known)
    return known
  }

  /** Detaches the sessions. This also ends what they enabled, such as paused navigations or a slow network. */
  async close(): Promise<void> {
    const ended = [...this.#sessions.values()].map(async session => (await session).detach())
    await doneWithin(detachWithinMs, Promise.allSettled(ended))
  }

  note(step: Step, type: string, tookMs: number): void {
    if (this.notes.length >= maxSteps)
      throw new Failure(
        'action.failed',
        `more than ${maxSteps} steps were executed (each round of a loop counts)`,
      )
    this.notes.push({ path: step.path, type, tookMs, ...step.found })
  }

  keep(name: string, fileName: string, type: string, bytes: Buffer): void {
    const count = this.artifacts.filter(artifact => artifact.name.replace(/-\d+$/, '') === name).length + 1
    const numbered = (text: string) => (count === 1 ? text : text.replace(/(\.\w+)?$/, `-${count}$1`))
    this.artifacts.push({ name: numbered(name), fileName: numbered(fileName), type, bytes })
  }

  pause(ms: number): Promise<void> {
    return this.bounded(sleep(ms))
  }
}
