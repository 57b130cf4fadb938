// Steps that navigate (goto, back, forward, reload) or change the window or the network.
import type { Page } from 'playwright-core'
import type { Action } from '../../../model/page/actions.ts'
import { fillIn } from '../fill-in.ts'
import { compareNavigation, withNavigation } from '../navigation.ts'
import type { ActionRun, Step } from '../run.ts'
import { pageOf } from '../step-targets.ts'
import type { StepTable } from './step-table.ts'

export const navigatingSteps: StepTable<
  'goto' | 'back' | 'forward' | 'reload' | 'set-viewport' | 'emulate-network' | 'close'
> = {
  goto: async (run, action, step) => {
    const page = await pageOf(run, action)
    const url = webUrl(await fillIn(run, step, action.url), page.url())
    if (!run.hasActed && isSame(url, run.plan.url)) {
      run.hasActed = true
      return checked(run, step, action, page, async () => {})
    }
    return checked(run, step, action, page, timeout => page.goto(url, { timeout, waitUntil: 'load' }))
  },
  back: async (run, action, step) => {
    const page = await pageOf(run, action)
    return checked(run, step, action, page, timeout => page.goBack({ timeout }))
  },
  forward: async (run, action, step) => {
    const page = await pageOf(run, action)
    return checked(run, step, action, page, timeout => page.goForward({ timeout }))
  },
  reload: async (run, action, step) => {
    const page = await pageOf(run, action)
    return checked(run, step, action, page, timeout => page.reload({ timeout }))
  },
  'set-viewport': async (run, action) => {
    const { width, height, deviceScaleFactor, isMobile, hasTouch, isLandscape } = action
    const page = await pageOf(run, action)
    await run.bounded(page.setViewportSize({ width, height }))
    if (deviceScaleFactor === 1 && !isMobile && !hasTouch && !isLandscape) return
    const session = await run.bounded(run.session(page))
    const screenOrientation = isLandscape
      ? ({ type: 'landscapePrimary', angle: 90 } as const)
      : ({ type: 'portraitPrimary', angle: 0 } as const)
    const metrics = { width, height, deviceScaleFactor, mobile: isMobile, screenOrientation }
    await run.bounded(session.send('Emulation.setDeviceMetricsOverride', metrics))
    await run.bounded(session.send('Emulation.setTouchEmulationEnabled', { enabled: hasTouch }))
  },
  'emulate-network': async (run, { download, upload, latencyMs, ...action }) => {
    const session = await run.bounded(run.session(await pageOf(run, action)))
    const conditions = {
      offline: download === 0 && upload === 0,
      downloadThroughput: download,
      uploadThroughput: upload,
      latency: latencyMs,
    }
    await run.bounded(session.send('Network.emulateNetworkConditions', conditions))
  },
  // A pop-up is closed. The main page stays open, because the caller reads it afterwards.
  close: async (run, action) => {
    const page = await pageOf(run, action)
    if (page === run.page) run.isMainClosed = true
    else await run.bounded(page.close())
  },
}

/** Compares URLs without fragments and with sorted queries. The task's canonical URL has no fragment and a sorted
 *  query. */
function isSame(one: string, other: string): boolean {
  const plain = (text: string) => {
    const url = new URL(text)
    url.searchParams.sort()
    url.hash = ''
    return url.href
  }
  return new URL(one).hash === '' && plain(one) === plain(other)
}

function webUrl(text: string, base: string): string {
  const url = URL.parse(text, base)
  if (url && /^https?:$/.test(url.protocol)) return url.href
  throw new Error(`"${text}" is not an http or https URL`)
}

/** Runs a step that navigates directly. When `go` resolves, the page has loaded. If the step expects a URL or title, it is
 *  compared then. */
async function checked(
  run: ActionRun,
  step: Step,
  action: Action,
  page: Page,
  go: (timeoutMs: number) => Promise<unknown>,
): Promise<void> {
  const timeoutMs = action.timeoutMs ?? run.plan.navigationMs
  const { expectNavigation, ...rest } = action
  await withNavigation(run, step, rest as Action, page, async () => void (await go(timeoutMs)))
  if (typeof expectNavigation === 'object') await compareNavigation(run, step, action, page)
}
