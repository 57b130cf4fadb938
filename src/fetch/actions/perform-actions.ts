// Runs actions in an open page, one after the other. The first failure ends the run and names the step.

import { Failure } from '../../model/failures.ts'
import type { Action } from '../../model/page/actions.ts'
import { actionDelay } from '../browser/action-delay.ts'
import { crashed } from '../browser/cdp/page-watch.ts'
import type { PerformActions, Performed } from './action-types.ts'
import { holdNavigations } from './permits.ts'
import { ActionRun, type Item, type Step } from './run.ts'
import { flowSteps } from './steps/flow.ts'
import { inputSteps } from './steps/inputs.ts'
import { navigatingSteps } from './steps/navigating.ts'
import { readingSteps } from './steps/reading.ts'
import type { DoStep, StepTable } from './steps/step-table.ts'
import { waitingSteps } from './steps/waiting.ts'

const table: StepTable = {
  ...navigatingSteps,
  ...inputSteps,
  ...waitingSteps,
  ...readingSteps,
  ...flowSteps(runSteps),
}

export const performActions: PerformActions = async (page, plan, parts, signal) => {
  const ended = new AbortController()
  const crash = () => ended.abort(crashed())
  page.on('crash', crash)
  const run = new ActionRun(page, plan, parts, AbortSignal.any([signal, ended.signal]))
  const { beforeNavigation } = parts
  try {
    if (beforeNavigation)
      await run.bounded(holdNavigations(run, page, beforeNavigation, reason => ended.abort(reason)))
    await runSteps(run, plan.actions, 'actions', null)
    return performed(run)
  } finally {
    page.off('crash', crash)
    await run.close()
  }
}

function performed(run: ActionRun): Performed {
  const { extracted, values, artifacts, notes, parts } = run
  if (notes.some(({ alternative = 0 }) => alternative > 0))
    run.keep('steps', 'steps.json', 'application/json', Buffer.from(`${JSON.stringify(notes, null, 1)}\n`))
  const value = Object.keys(values).length === 0 ? undefined : parts.redactor.json(values)
  return { extracted, value, artifacts, steps: notes }
}

async function runSteps(
  run: ActionRun,
  actions: readonly Action[],
  path: string,
  item: Item | null,
): Promise<void> {
  for (const [index, action] of actions.entries())
    await runStep(run, action, { path: `${path}[${index}]`, item })
}

async function runStep(run: ActionRun, action: Action, step: Step): Promise<void> {
  const startedAt = performance.now()
  try {
    run.signal.throwIfAborted()
    if (run.parts.beforeStep) await run.bounded(run.parts.beforeStep({ path: step.path, type: action.type }))
    await pauseBefore(run, action)
    await (table[action.type] as DoStep<Action['type']>)(run, action as never, step)
    if (!quiet.has(action.type)) run.hasActed = true
    run.note(step, action.type, Math.round(performance.now() - startedAt))
    if (!('steps' in action)) await run.parts.afterStep?.(run.page, { path: step.path, type: action.type })
  } catch (error) {
    throw run.signal.aborted ? run.signal.reason : failureOf(run, action, step, error)
  }
}

/** Steps that leave the document unchanged. If only such steps ran before, a `goto` to the already loaded URL still
 *  does nothing. */
const quiet: ReadonlySet<Action['type']> = new Set([
  'set-viewport',
  'emulate-network',
  'when',
  'repeat',
  'try',
])

/** Pauses before an action, as a person does. Steps that contain other steps, and `wait` steps, need no pause. */
async function pauseBefore(run: ActionRun, action: Action): Promise<void> {
  const { actionDelayMs } = run.plan
  if (!actionDelayMs || run.notes.length === 0 || 'steps' in action || action.type === 'wait') return
  await run.pause(actionDelay({ actionDelayMs }, run.parts.random ?? Math.random))
}

/** Converts an error to a failure that names the step. A failure of an inner step already names it and is returned as
 *  it is. */
function failureOf(run: ActionRun, action: Action, step: Step, error: unknown): Failure {
  if (error instanceof Failure && error.details.path !== undefined) return error
  if (run.page.context().browser()?.isConnected() === false)
    return new Failure('browser.crashed', `the browser crashed at ${step.path}`, { path: step.path })
  const number = Number(/\d+/.exec(step.path)?.[0]) + 1
  const reason = run.parts.redactor.text(reasonOf(error))
  const url = run.parts.redactor.text(run.page.url())
  const message = `step ${number} (${step.path}, ${action.type}) failed at ${url}: ${reason}`
  const details = { step: number, path: step.path, type: action.type, url, reason }
  // The cause is left out, because its text may contain typed secrets.
  return new Failure('action.failed', message, details)
}

/** The first line of Playwright's message, without the method name and colours. */
function reasonOf(error: unknown): string {
  const text = error instanceof Error ? error.message : String(error)
  const plain = text.replace(/\u001b\[\d+m/g, '').split('\n', 1)[0]!
  return plain.replace(/^\w+\.\w+: /, '').slice(0, 1_000)
}
