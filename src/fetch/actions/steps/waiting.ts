// Steps that wait: for a time, for the network, for an expression, or for elements in a given state.
import type { Locator } from 'playwright-core'
import type { ActionOf } from '../../../model/page/actions.ts'
import type { ActionRun, Step } from '../run.ts'
import { candidatesOf, frameOf, pageOf } from '../step-targets.ts'
import type { StepTable } from './step-table.ts'

export const waitingSteps: StepTable<'wait'> = {
  wait: async (run, action, step) => {
    if (action.ms !== undefined) return run.pause(action.ms)
    if (action.networkIdle) return networkIdle(run, action)
    if (action.expression !== undefined) return untilTrue(run, action, action.expression)
    return forElements(run, action, step)
  },
}

async function networkIdle(run: ActionRun, action: ActionOf<'wait'>): Promise<void> {
  const page = await pageOf(run, action)
  const timeout = action.timeoutMs ?? run.plan.navigationMs
  await run.bounded(page.waitForLoadState('networkidle', { timeout }))
}

async function untilTrue(run: ActionRun, action: ActionOf<'wait'>, expression: string): Promise<void> {
  const timeoutMs = run.timeoutOf(action)
  const frame = await frameOf(run, action)
  const late = () => new Error(`"${expression.slice(0, 200)}" did not become true within ${timeoutMs} ms`)
  // An evaluation fails while the page navigates. The next poll uses the new page.
  const ask = () => run.evaluate(frame, expression).catch(() => null)
  await run.until(timeoutMs, late, async () => ((await ask()) ? true : null))
}

const compare = {
  '==': (found: number, wanted: number) => found === wanted,
  '>=': (found: number, wanted: number) => found >= wanted,
  '<=': (found: number, wanted: number) => found <= wanted,
}

/** A selector alone waits for at least one match. A count means exactly that number unless an operator is given. */
async function forElements(run: ActionRun, action: ActionOf<'wait'>, step: Step): Promise<void> {
  const { count = 1, visible = true, operator = action.count === undefined ? '>=' : '==' } = action
  const timeoutMs = run.timeoutOf(action)
  const frame = await frameOf(run, action)
  const candidates = await candidatesOf(run, step, action, frame)
  let found = 0
  const names = candidates.map(({ name }) => `"${name}"`).join(' or ')
  const wanted = `${operator} ${count} ${visible ? 'visible' : 'hidden'}`
  const late = () => new Error('late')
  const asked = run.until(timeoutMs, late, async () => {
    for (const [alternative, { name, locator }] of candidates.entries()) {
      found = await matching(locator, action, visible)
      if (!compare[operator](found, count)) continue
      step.found = { selector: name, alternative }
      return true
    }
    return null
  })
  await asked.catch(error => {
    if ((error as Error).message !== 'late') throw error
    throw new Error(`found ${found} of ${names}, expected ${wanted}, within ${timeoutMs} ms`)
  })
}

async function matching(locator: Locator, action: ActionOf<'wait'>, visible: boolean): Promise<number> {
  const { properties = {}, attributes = {} } = action
  const wanted: Wanted = { properties, attributes, visible }
  const count = locator.evaluateAll<number, Wanted>(countMatching, wanted)
  return count.catch(() => 0)
}

interface Wanted {
  properties: Record<string, unknown>
  attributes: Record<string, string>
  visible: boolean
}

/** Runs inside the page. */
function countMatching(elements: Element[], { properties, attributes, visible }: Wanted): number {
  const isShown = (element: Element) => {
    const { width, height } = element.getBoundingClientRect()
    return width > 0 && height > 0 && getComputedStyle(element).visibility !== 'hidden'
  }
  const holds = (is: unknown, wanted: unknown): boolean => {
    if (typeof wanted !== 'object' || wanted === null) return is === wanted
    return Object.entries(wanted).every(([key, value]) =>
      holds((is as Record<string, unknown> | null)?.[key], value),
    )
  }
  return elements.filter(
    element =>
      isShown(element) === visible &&
      Object.entries(attributes).every(([name, value]) => element.getAttribute(name) === value) &&
      holds(element, properties),
  ).length
}
