// Finds the page, frame and element of a step. The first matching selector wins.
import type { Frame, Locator, Page } from 'playwright-core'
import type { Action } from '../../model/page/actions.ts'
import type { SelectorAlternative } from '../../model/page/selector-text.ts'
import { fillIn } from './fill-in.ts'
import { locatorOf, written } from './locators.ts'
import type { ActionRun, Step } from './run.ts'

type Timed = Pick<Action, 'timeoutMs' | 'frame' | 'target'>

export interface Placed extends Timed {
  selector?: string | undefined
  selectors?: SelectorAlternative[] | undefined
  within?: 'item' | undefined
}

/** Finds the frame of the step's target: `main`, or the page or frame with that URL. Polls, because a pop-up takes time
 *  to open. */
export async function frameOf(run: ActionRun, action: Timed): Promise<Frame> {
  const { target = 'main', frame: indexes = [] } = action
  const late = () => new Error(`there is no ${placeName(target, indexes)}`)
  return run.until(run.timeoutOf(action), late, async () => {
    const top = target === 'main' ? mainFrame(run) : frameAt(run.page, target)
    return top && inside(top, indexes)
  })
}

export async function pageOf(run: ActionRun, action: Timed): Promise<Page> {
  return (await frameOf(run, { ...action, frame: [] })).page()
}

function mainFrame(run: ActionRun): Frame {
  if (run.isMainClosed) throw new Error('the page was closed by an earlier step')
  return run.page.mainFrame()
}

function frameAt(page: Page, url: string): Frame | null {
  const pages = page.context().pages()
  const tops = pages.map(each => each.mainFrame())
  const frames = pages.flatMap(each => each.frames())
  return tops.findLast(frame => frame.url() === url) ?? frames.find(frame => frame.url() === url) ?? null
}

function inside(top: Frame, indexes: readonly number[]): Frame | null {
  return indexes.reduce<Frame | null>((frame, index) => frame?.childFrames()[index] ?? null, top)
}

const placeName = (target: string, indexes: readonly number[]): string =>
  indexes.length > 0 ? `frame [${indexes.join(', ')}] in the page` : `page with the address ${target}`

type Wanted = 'visible' | 'attached'

/** Waits for the element. Each poll tries all alternative selectors in order and takes the first match. */
export async function elementOf(
  run: ActionRun,
  step: Step,
  action: Placed,
  wanted: Wanted = 'visible',
): Promise<Locator> {
  const frame = await frameOf(run, action)
  const candidates = await candidatesOf(run, step, action, frame)
  const names = candidates.map(({ name }) => `"${name}"`).join(' or ')
  const late = () => new Error(`nothing ${wanted} for ${names} within ${run.timeoutOf(action)} ms`)
  return run.until(run.timeoutOf(action), late, async () => {
    const found = await firstThat(candidates, wanted)
    if (found) step.found = { selector: found.name, alternative: candidates.indexOf(found) }
    return found?.locator.first() ?? null
  })
}

/** Checks once for the element. Waits only for its frame. Null if no selector matches now. */
export async function elementNow(
  run: ActionRun,
  step: Step,
  action: Placed,
  wanted: Wanted,
): Promise<Locator | null> {
  const frame = await frameOf(run, action)
  const found = await run.bounded(firstThat(await candidatesOf(run, step, action, frame), wanted))
  return found?.locator.first() ?? null
}

async function firstThat(candidates: Candidate[], wanted: Wanted): Promise<Candidate | null> {
  for (const candidate of candidates) {
    const first = candidate.locator.first()
    const isThere =
      wanted === 'visible' ? first.isVisible() : candidate.locator.count().then(count => count > 0)
    // While a page navigates, the query fails. Treat that as no match.
    if (await isThere.catch(() => false)) return candidate
  }
  return null
}

interface Candidate {
  name: string
  locator: Locator
}

export async function candidatesOf(
  run: ActionRun,
  step: Step,
  { selector, selectors, within }: Placed,
  frame: Frame,
): Promise<Candidate[]> {
  const root = within === 'item' ? itemIn(step, frame) : frame
  const alternatives = selectors ?? (selector === undefined ? [] : [selector])
  if (alternatives.length === 0) return [{ name: 'the item', locator: root as Locator }]
  return Promise.all(
    alternatives.map(async alternative => {
      const filled = await filledIn(run, step, alternative)
      return { name: written(alternative), locator: locatorOf(root, filled) }
    }),
  )
}

async function filledIn(
  run: ActionRun,
  step: Step,
  alternative: SelectorAlternative,
): Promise<SelectorAlternative> {
  if (typeof alternative === 'string') return fillIn(run, step, alternative)
  return Promise.all(alternative.map(selector => fillIn(run, step, selector)))
}

function itemIn({ item }: Step, frame: Frame): Locator {
  if (item?.is === 'element') return item.in(frame)
  throw new Error('"within": "item" works only in the steps of a for-each over elements')
}
