// Wraps a Playwright tab in the session interface of our CDP driver, so that both drivers load, wait and read with the
// same code.
import type { Browser, CDPSession, Page } from 'playwright-core'
import { CommandError, type Session } from '../cdp/connection.ts'
import { PageWatch } from '../cdp/page-watch.ts'
import { trackerScript } from '../cdp/settle-scripts.ts'
import { Tab } from '../cdp/tab.ts'

/** Opens our session with a Playwright tab. With `isHidden`, `Runtime.enable` is not sent, because pages can detect it.
 *  Console output is then missing. */
export async function openTab(page: Page, isHidden: boolean): Promise<Tab> {
  const cdp = await page.context().newCDPSession(page)
  const session = sessionOf(cdp)
  const { frameTree } = await cdp.send('Page.getFrameTree')
  const watch = new PageWatch(session, frameTree.frame.id)
  await Promise.all([
    cdp.send('Page.enable'),
    cdp.send('Network.enable', { maxTotalBufferSize: 1_000_000, maxResourceBufferSize: 500_000 }),
    isHidden ? null : cdp.send('Runtime.enable'),
    // A hidden tab gets no tracker, because pages could detect the functions that the tracker wraps.
    isHidden ? null : cdp.send('Page.addScriptToEvaluateOnNewDocument', { source: trackerScript }),
  ])
  return new Tab(frameTree.frame.id, session, watch, { isBlind: isHidden })
}

/** A session with the browser as a whole, not with one page. */
export const browserCdp = async (browser: Browser): Promise<Session> =>
  sessionOf(await browser.newBrowserCDPSession())

function sessionOf(cdp: CDPSession): Session {
  const send = async (method: string, params?: object): Promise<unknown> => {
    try {
      return await cdp.send(method as 'Page.enable', params as undefined)
    } catch (error) {
      throw new CommandError(method, String((error as Error).message))
    }
  }
  const on = (name: string, listener: (params: never) => void) => {
    cdp.on(name as 'Page.loadEventFired', listener as () => void)
    return () => cdp.off(name as 'Page.loadEventFired', listener as () => void)
  }
  return { send, on } as unknown as Session
}
