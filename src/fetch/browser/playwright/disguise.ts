// What emulation leaves out, for a page that must look like everybody's: the window's frame, workers, and the PDF viewer.
import type { CDPSession, Page } from 'playwright-core'
import type { Identity } from '../../../model/rendering.ts'
import { userAgentOf } from '../cdp/emulation.ts'

/** For each new page, before it goes anywhere. */
export async function disguise(page: Page, identity: Identity): Promise<void> {
  const cdp = await page.context().newCDPSession(page)
  // With every navigation each session puts back what it had set, also if that was nothing: the newest one has the last word.
  await cdp.send('Emulation.setUserAgentOverride', userAgentOf(identity))
  await Promise.all([frameWindow(cdp, identity), translateWorkers(cdp, identity), downloadPdfs(cdp)])
}

/** Playwright makes the window as large as the page in it. People's browsers have tabs and an address bar as well. */
async function frameWindow(cdp: CDPSession, { viewport, screen }: Identity): Promise<void> {
  if (screen === undefined || viewport.isMobile) return
  const { windowId } = await cdp.send('Browser.getWindowForTarget')
  await cdp.send('Browser.setWindowBounds', { windowId, bounds: { left: 0, top: 0, ...screen } })
}

/** A worker takes the languages of the browser, not those of its page, unless it is told before its script begins. */
async function translateWorkers(cdp: CDPSession, identity: Identity): Promise<void> {
  cdp.on('Target.attachedToTarget', ({ sessionId }) => {
    const tell = (id: number, method: string, params: object = {}) =>
      cdp.send('Target.sendMessageToTarget', { sessionId, message: JSON.stringify({ id, method, params }) })
    // A worker that ended meanwhile needs nothing any more.
    void Promise.all([
      tell(1, 'Emulation.setUserAgentOverride', userAgentOf(identity)),
      tell(2, 'Runtime.runIfWaitingForDebugger'),
    ]).catch(() => {})
  })
  await cdp.send('Target.setAutoAttach', {
    autoAttach: true,
    waitForDebuggerOnStart: true,
    // Playwright's sessions cannot speak to those below them in any other way.
    flatten: false,
    filter: [{ type: 'worker' }, { exclude: true }],
  })
}

/**
 * A PDF is a file to us. The setting that says so takes the viewer's plugins away, which a page can see; so the answer
 * says it instead.
 */
async function downloadPdfs(cdp: CDPSession): Promise<void> {
  cdp.on('Fetch.requestPaused', ({ requestId, responseStatusCode, responseHeaders = [] }) => {
    const isPdf = responseHeaders.some(
      ({ name, value }) => /^content-type$/i.test(name) && /^application\/pdf/i.test(value),
    )
    const attachment = { name: 'content-disposition', value: 'attachment' }
    const changed = isPdf && {
      responseCode: responseStatusCode ?? 200,
      responseHeaders: [...responseHeaders, attachment],
    }
    // Gone with its page, when that was closed in the meantime.
    cdp.send('Fetch.continueResponse', { requestId, ...changed }).catch(() => {})
  })
  await cdp.send('Fetch.enable', { patterns: [{ resourceType: 'Document', requestStage: 'Response' }] })
}
