// Steps that contain other steps: when, repeat, repeat-until, for-each, try, paginate.
import type { Frame, Locator, Page } from 'playwright-core'
import { Failure } from '../../../model/failures.ts'
import type { Action, ActionOf } from '../../../model/page/actions.ts'
import { fillIn } from '../fill-in.ts'
import { locatorOf } from '../locators.ts'
import { withNavigation } from '../navigation.ts'
import type { ActionRun, Item, Step } from '../run.ts'
import { candidatesOf, elementNow, frameOf, type Placed } from '../step-targets.ts'
import type { StepTable } from './step-table.ts'

type RunSteps = (run: ActionRun, actions: readonly Action[], path: string, item: Item | null) => Promise<void>

/** Longest wait for the next page or for the element that leads to it. */
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
          throw new Error(`its condition is still false after ${action.maxTimes} rounds`)
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

/** True for failures of one step, which `try` may ignore. False for failures of the whole run, such as a missing secret
 *  or a crashed browser. */
const isOfStep = (error: unknown): boolean =>
  error instanceof Failure && (error.code === 'action.failed' || error.code === 'download.too-large')

type Condition = ActionOf<'when' | 'repeat-until'>

/** Checks the condition once, or until it holds if the step sets a timeout. */
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

/** Counts the elements once, then finds each by its index. Elements themselves are not stored, because the steps of the
 *  loop may leave the page and return. */
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

/** Returns false on the last page: the link to the next page is missing, disabled or without effect. */
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

/** Polls, because scripts may fill the list before they add the link. The first check has no timeout. Otherwise the
 *  pagination would end too early on a busy machine. */
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

/** Runs inside the page. */
function isUsable(element: Element): boolean {
  const off = element.closest('[disabled], [aria-disabled="true"], .disabled')
  return off === null && !(element instanceof HTMLButtonElement && element.disabled)
}
