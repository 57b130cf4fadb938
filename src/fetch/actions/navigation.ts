// Waits for navigations that steps cause, and compares them with the expected ones.
import type { Frame, Page, Request } from 'playwright-core'
import type { Action } from '../../model/page/actions.ts'
import { limitOf, raced } from '../browser/bounded.ts'
import { fillIn } from './fill-in.ts'
import type { ActionRun, Step } from './run.ts'

/** A click that navigates sends its request within this time. If no request was sent by then, the step did not
 *  navigate. */
const graceMs = 50

/** Runs the step, then waits for a navigation if one is expected or has started. */
export async function withNavigation(
  run: ActionRun,
  step: Step,
  action: Action,
  page: Page,
  work: () => Promise<void>,
): Promise<void> {
  using watch = new NavigationWatch(page)
  await run.bounded(work()).catch(error => {
    if (!isDoneButForNavigation(error)) throw error
  })
  const { expectNavigation } = action
  if (expectNavigation === undefined || expectNavigation === false) return await letSettle(run, watch)
  await arrived(run, watch, action)
  if (typeof expectNavigation === 'object') await compareNavigation(run, step, action, page)
}

/** True if the action itself succeeded and only Playwright's wait for the navigation timed out. Then this module waits
 *  for the navigation, because its request may have to wait longer for a slot of the host. */
const isDoneButForNavigation = (error: unknown): boolean =>
  error instanceof Error &&
  error.name === 'TimeoutError' &&
  error.message.includes('waiting for scheduled navigations to finish')

/** Waits for a navigation that the step may have started. A pop-up without a navigation is not checked for pending
 *  work, because only the main page is read afterwards. */
async function letSettle(run: ActionRun, watch: NavigationWatch): Promise<void> {
  if (!watch.hasBegun) await run.pause(graceMs)
  if (!watch.hasBegun && watch.page === run.page) await patiently(run, hasCaughtUp(run))
  if (!watch.hasBegun) return
  await patiently(run, watch.ended.promise)
  await patiently(run, watch.page.waitForLoadState('domcontentloaded'))
}

/** On a busy machine a page handles its events late. An evaluation returns only after the page has done its pending
 *  work. */
const hasCaughtUp = (run: ActionRun): Promise<unknown> => run.evaluate(run.page.mainFrame(), '0')

async function patiently(run: ActionRun, work: Promise<unknown>): Promise<void> {
  using limit = limitOf(run.plan.navigationMs, new Error('too late'))
  const either = AbortSignal.any([run.signal, limit.signal])
  await raced(work, either).catch(() => run.signal.throwIfAborted())
}

async function arrived(run: ActionRun, watch: NavigationWatch, action: Action): Promise<void> {
  const timeoutMs = action.timeoutMs ?? run.plan.navigationMs
  using limit = limitOf(timeoutMs, new Error(`did not navigate to another page within ${timeoutMs} ms`))
  const either = AbortSignal.any([run.signal, limit.signal])
  await raced(watch.committed.promise, either)
  await raced(watch.page.waitForLoadState('domcontentloaded'), either)
}

/** Reports navigations of the main frame that start after the construction of this object. */
class NavigationWatch {
  readonly page: Page
  readonly ended = Promise.withResolvers<void>()
  readonly committed = Promise.withResolvers<void>()
  hasBegun = false

  constructor(page: Page) {
    this.page = page
    page.on('request', this.#requested)
    page.on('requestfailed', this.#failed)
    page.on('framenavigated', this.#navigated)
  }

  readonly #requested = (request: Request): void => {
    if (isOfMainFrame(request, this.page)) this.hasBegun = true
  }

  readonly #failed = (request: Request): void => {
    if (isOfMainFrame(request, this.page)) this.ended.resolve()
  }

  readonly #navigated = (frame: Frame): void => {
    if (frame !== this.page.mainFrame()) return
    this.hasBegun = true
    this.ended.resolve()
    this.committed.resolve()
  };

  [Symbol.dispose](): void {
    this.page.off('request', this.#requested)
    this.page.off('requestfailed', this.#failed)
    this.page.off('framenavigated', this.#navigated)
  }
}

/** Playwright throws when the frame of the request is already detached. Treat such a request as a request of another
 *  frame. */
function isOfMainFrame(request: Request, page: Page): boolean {
  try {
    return request.isNavigationRequest() && request.frame() === page.mainFrame()
  } catch {
    return false
  }
}

/** Compares URL and title with the expected ones. Polls until the timeout, because scripts may change both after the
 *  load. */
export async function compareNavigation(
  run: ActionRun,
  step: Step,
  action: Action,
  page: Page,
): Promise<void> {
  const { url, title, recorded } = action.expectNavigation as Exclude<
    Action['expectNavigation'],
    boolean | undefined
  >
  const isLoose = recorded === true && run.hasReplaced
  const wanted = url === undefined ? null : await fillIn(run, step, url)
  const named = title === undefined || isLoose ? null : await fillIn(run, step, title)
  let is = ''
  const late = () => new Error('late')
  const asked = run.until(run.timeoutOf(action), late, async () => {
    is = `${page.url()} "${await page.title().catch(() => '')}"`
    const isThere = wanted === null || sameAddress(page.url(), wanted, isLoose)
    return isThere && (named === null || is.endsWith(`"${named}"`)) ? true : null
  })
  await asked.catch(error => {
    if ((error as Error).message !== 'late') throw error
    throw new Error(`navigated to ${is}, not to ${[wanted, named && `"${named}"`].filter(Boolean).join(' ')}`)
  })
}

/** Compares query and fragment only if the expected URL has them. With `isLoose`, compares only the site, because
 *  values of the input row were filled in. */
function sameAddress(is: string, expected: string, isLoose: boolean): boolean {
  const wanted = URL.parse(expected, is)
  const there = URL.parse(is)
  if (!wanted || !there || wanted.origin !== there.origin) return false
  if (isLoose) return true
  return (
    wanted.pathname === there.pathname &&
    (wanted.search === '' || wanted.search === there.search) &&
    (wanted.hash === '' || wanted.hash === there.hash)
  )
}
