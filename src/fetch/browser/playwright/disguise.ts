// Completes the emulation of pages: user agent and languages in all frames and workers. For stealth pages, also sets
// the window frame and handles PDFs.
import type { CDPSession, Page } from 'playwright-core'
import type { Identity } from '../../../model/policy/rendering.ts'
import { hiddenUserAgentOf, type userAgentOf } from '../cdp/emulation.ts'

type UserAgent = ReturnType<typeof hiddenUserAgentOf> | ReturnType<typeof userAgentOf>

/** Sets the user agent in the driver's own session. Otherwise the driver's emulated locale would replace our languages
 *  in some requests. Call for each new page, before its first navigation. */
export async function setUserAgent(page: Page, userAgent: UserAgent): Promise<void> {
  const session = sessionOf(page)
  setInChildren(session, userAgent)
  await session.send('Emulation.setUserAgentOverride', userAgent)
}

/** Call for each new stealth page, before its first navigation. */
export async function disguise(page: Page, identity: Identity): Promise<void> {
  const cdp = await page.context().newCDPSession(page)
  // On each navigation every session restores its own overrides, even empty ones, and the newest session wins. So the
  // same override is set in our session and in the driver's session.
  await cdp.send('Emulation.setUserAgentOverride', hiddenUserAgentOf(identity))
  await Promise.all([frameWindow(cdp, identity), downloadPdfs(cdp)])
}

/** Playwright makes the window as large as the page. Real browsers also have tabs and an address bar, so the window is
 *  enlarged. */
async function frameWindow(cdp: CDPSession, { viewport, screen }: Identity): Promise<void> {
  if (screen === undefined || viewport.isMobile) return
  const { windowId } = await cdp.send('Browser.getWindowForTarget')
  await cdp.send('Browser.setWindowBounds', { windowId, bounds: { left: 0, top: 0, ...screen } })
}

/** Sets the user agent in workers, in frames with their own processes, and in the children of these. The driver starts
 *  them at once, so a command of our session could be too late. The driver's own session sends the command when the
 *  child is attached, before the child starts. */
function setInChildren(session: DriverSession, userAgent: UserAgent): void {
  session.on('Target.attachedToTarget', ({ sessionId, targetInfo }) => {
    if (targetInfo.type !== 'worker' && targetInfo.type !== 'iframe') return
    const child = session._connection._sessions.get(sessionId)
    if (child === undefined) return
    setInChildren(child, userAgent)
    // Ignore errors: the worker or frame may have ended meanwhile.
    child.send('Emulation.setUserAgentOverride', userAgent).catch(() => {})
  })
}

/** The driver's internal session of a page. It is not a public API, but the package version is pinned. */
function sessionOf(page: Page): DriverSession {
  const { _connection: connection } = page as unknown as { _connection?: { toImpl?: (page: Page) => Inside } }
  const session = connection?.toImpl?.(page)?.delegate?._mainFrameSession?._client
  if (session === undefined) throw new Error("Playwright's internal session of the page was not found")
  return session
}

interface Inside {
  delegate?: { _mainFrameSession?: { _client?: DriverSession } }
}

interface DriverSession {
  readonly _connection: { readonly _sessions: Map<string, DriverSession> }
  send(method: string, params: object): Promise<unknown>
  on(
    event: 'Target.attachedToTarget',
    listener: (attached: { sessionId: string; targetInfo: { type: string } }) => void,
  ): void
}

/** Makes PDFs downloads. The browser setting for PDF downloads removes the PDF plugins, and a page can detect that. So
 *  a response header forces the download instead. */
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
    // Ignore errors: the page may have been closed meanwhile.
    cdp.send('Fetch.continueResponse', { requestId, ...changed }).catch(() => {})
  })
  await cdp.send('Fetch.enable', { patterns: [{ resourceType: 'Document', requestStage: 'Response' }] })
}
