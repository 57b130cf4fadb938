// Scrolling: to a position, to an element, or down until nothing more loads.
import type { Locator, Page } from 'playwright-core'
import type { ActionOf } from '../../../model/page/actions.ts'
import type { ActionRun, Step } from '../run.ts'
import { elementOf, pageOf } from '../step-targets.ts'

/** How long to wait for new content after the end of the page came into view. */
const growsWithinMs = 2_000

export async function scrollStep(run: ActionRun, action: ActionOf<'scroll'>, step: Step): Promise<void> {
  const { selector, selectors, within, x, y, to, times } = action
  const hasPlace = selector !== undefined || selectors !== undefined || within !== undefined
  if (hasPlace) return scrollElement(run, action, await elementOf(run, step, action, 'attached'))
  const page = await pageOf(run, action)
  if (to === 'end') return scrollToEnd(run, page, times)
  await run.bounded(page.evaluate(moveWindow, { x, y, isStart: to === 'start' }))
}

async function scrollElement(run: ActionRun, action: ActionOf<'scroll'>, element: Locator): Promise<void> {
  const { x, y, to } = action
  await run.bounded(element.scrollIntoViewIfNeeded({ timeout: run.timeoutOf(action) }))
  if (x === undefined && y === undefined && to === undefined) return
  await run.bounded(element.evaluate(moveElement, { x, y, to }))
}

/** Scrolls to the end again while content is added, at most `times` times, because some lists never end. */
async function scrollToEnd(run: ActionRun, page: Page, times: number): Promise<void> {
  for (let round = 0; round < times; round++) {
    const before = await run.bounded(page.evaluate(scrollDown))
    if (round === times - 1) return
    const grown = run.until(
      growsWithinMs,
      () => new Error('late'),
      async () => ((await page.evaluate(heightOf)) > before ? true : null),
    )
    if (!(await grown.catch(() => false))) return run.signal.throwIfAborted()
  }
}

// The functions below run inside the page.

interface WindowMove {
  x: number | undefined
  y: number | undefined
  isStart: boolean
}

function moveWindow({ x, y, isStart }: WindowMove): void {
  if (isStart) scrollTo(0, 0)
  else if (x === undefined && y === undefined) scrollBy(0, innerHeight)
  else scrollTo(x ?? scrollX, y ?? scrollY)
}

function moveElement(
  element: Element,
  { x, y, to }: { x: number | undefined; y: number | undefined; to: 'end' | 'start' | undefined },
): void {
  if (to !== undefined) element.scrollTop = to === 'end' ? element.scrollHeight : 0
  if (x !== undefined) element.scrollLeft = x
  if (y !== undefined) element.scrollTop = y
}

function scrollDown(): number {
  const { scrollHeight } = document.documentElement
  scrollTo(0, scrollHeight)
  return scrollHeight
}

function heightOf(): number {
  return document.documentElement.scrollHeight
}
