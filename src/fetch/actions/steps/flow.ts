// Steps that decide about steps: when, repeat, repeat-until, for-each, try, paginate.
import type { Frame, Locator, Page } from 'playwright-core'
import { Failure } from '../../../model/failures.ts'
import type { Action, ActionOf } from '../../../model/page/actions.ts'
import { fillIn } from '../fill-in.ts'
import { locatorOf } from '../locators.ts'
import { withNavigation } from '../navigation.ts'
import { candidatesOf, elementNow, frameOf, type Placed } from '../places.ts'
import type { ActionRun, Item, Step } from '../run.ts'
import type { StepTable } from './step-table.ts'

export type RunSteps = (
  run: ActionRun,
  actions: readonly Action[],
  path: string,
  item: Item | null,
) => Promise<void>

/** How long the next page, or the way to it, may take to appear. */
const nextWithinMs = 5_000

export function flowSteps(
  runSteps: RunSteps,
): StepTable<'when' | 'repeat' | 'repeat-until' | 'for-each' | 'try' | 'paginate'> {
  const inside = (run: ActionRun, action: { steps: Action[] }, step: Step, item = step.item) =>
    runSteps(run, action.steps, `${step.path}.steps`, item)
  const otherwise = (run: ActionRun, { else: other = [] }: { else?: Action[] | undefined }, step: Step) =>
    runSteps(run, other, `${step.path}.else`, step.item)

  return {
    when: async (run, action, step) =>
      (await holds(run, action, step)) ? inside(run, action, step) : otherwise(run, action, step),
    repeat: async (run, action, step) => {
      for (let round = 0; round < action.times; round++) await inside(run, action, step)
    },
    'repeat-until': async (run, action, step) => {
      for (let round = 0; !(await holds(run, action, step)); round++) {
        if (round >= action.maxTimes)
          throw new Error(`its condition does not hold after ${action.maxTimes} rounds`)
        await inside(run, action, step)
      }
    },
    'for-each': async (run, action, step) => {
      for (const item of await itemsOf(run, action, step)) await inside(run, action, step, item)
    },
    try: async (run, action, step) => {
      try {
        await inside(run, action, step)
      } catch (error) {
        if (run.signal.aborted || !isOfStep(error)) throw error
        await otherwise(run, action, step)
      }
    },
    paginate: async (run, action, step) => {
      for (let pages = 1; ; pages++) {
        await inside(run, action, step)
        if (pages >= action.maxPages || !(await toNextPage(run, action, step))) return
      }
    },
  }
}

/** What a step could not do, and nothing that ends the run whatever is tried: a secret that is missing, a browser that is gone. */
const isOfStep = (error: unknown): boolean =>
  error instanceof Failure && (error.code === 'action.failed' || error.code === 'download.too-large')

type Condition = ActionOf<'when' | 'repeat-until'>

/** As things are now; with a timeout of its own it is given that long to become true. */
async function holds(run: ActionRun, action: Condition, step: Step): Promise<boolean> {
  const isTrue = async () => (await asked(run, action, step)) !== action.not
  if (action.timeoutMs === undefined) return isTrue()
  const late = () => new Error('late')
  const became = run.until(action.timeoutMs, late, async () => ((await isTrue()) ? true : null))
  return became.catch(error => {
    if ((error as Error).message !== 'late') throw error
    return false
  })
}

async function asked(run: ActionRun, action: Condition, step: Step): Promise<boolean> {
  const { expression, urlContains, column } = action
  if (column !== undefined) return !['', null, undefined].includes(run.plan.row[column] as string)
  if (urlContains !== undefined) {
    const text = await fillIn(run, step, urlContains)
    return (await frameOf(run, action)).url().includes(text)
  }
  if (expression !== undefined) return Boolean(await run.evaluate(await frameOf(run, action), expression))
  return (await elementNow(run, step, action, 'visible')) !== null
}

/** Elements are counted when it begins, and looked up by their place each time: the steps may lead away and back. */
async function itemsOf(run: ActionRun, action: ActionOf<'for-each'>, step: Step): Promise<Item[]> {
  if (action.values) {
    const texts = await Promise.all(action.values.map(value => fillIn(run, step, value)))
    return texts.slice(0, action.max).map(text => ({ is: 'value', text }))
  }
  const frame = await frameOf(run, action)
  const outer = step.item
  for (const [index, { locator }] of (await candidatesOf(run, step, action, frame)).entries()) {
    const count = Math.min(await run.bounded(locator.count()), action.max)
    if (count === 0) continue
    const find = (root: Frame) => again(root, action, index, outer)
    return Array.from({ length: count }, (_, at) => ({ is: 'element', in: root => find(root).nth(at) }))
  }
  return []
}

function again(
  root: Frame,
  { selector, selectors, within }: Placed,
  index: number,
  outer: Item | null,
): Locator {
  const from = within === 'item' && outer?.is === 'element' ? outer.in(root) : root
  return locatorOf(from, selectors?.[index] ?? selector!)
}

/** False where there is no further page: no way to it, one that is switched off, or one that changes nothing. */
async function toNextPage(run: ActionRun, action: ActionOf<'paginate'>, step: Step): Promise<boolean> {
  const next = await nextOf(run, action, step)
  if (!next || !(await run.bounded(next.evaluate(isUsable)))) return false
  const page = next.page()
  const before = await run.bounded(looksOf(page))
  const { timeoutMs = nextWithinMs } = action
  await withNavigation(run, step, action, page, () => next.click({ timeout: timeoutMs }))
  const changed = run.until(
    timeoutMs,
    () => new Error('late'),
    async () => ((await looksOf(page).catch(() => before)) === before ? null : true),
  )
  return changed.catch(() => {
    run.signal.throwIfAborted()
    return false
  })
}

/**
 * Waited for a little: lists that are filled in by script come before the way on. The first look counts however long it takes: on a busy
 * machine a list would end too soon, and nobody would know.
 */
async function nextOf(run: ActionRun, action: ActionOf<'paginate'>, step: Step): Promise<Locator | null> {
  const look = () => elementNow(run, step, action, 'visible')
  const atOnce = await look().catch(() => null)
  if (atOnce) return atOnce
  const timeoutMs = Math.min(action.timeoutMs ?? 1_000, nextWithinMs)
  return run
    .until(timeoutMs, () => new Error('late'), look)
    .catch(() => {
      run.signal.throwIfAborted()
      return null
    })
}

const looksOf = (page: Page): Promise<string> =>
  page.evaluate(() => `${location.href} ${document.body.textContent}`)

/** Runs in the page. */
function isUsable(element: Element): boolean {
  const off = element.closest('[disabled], [aria-disabled="true"], .disabled')
  return off === null && !(element instanceof HTMLButtonElement && element.disabled)
}
