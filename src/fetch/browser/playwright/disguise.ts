// Completes the emulation for stealth pages: the window frame, workers, and the PDF viewer.
import type { CDPSession, Page } from 'playwright-core'
import type { Identity } from '../../../model/policy/rendering.ts'
import { hiddenUserAgentOf } from '../cdp/emulation.ts'

/** For each new page, before its first navigation. */
export async function disguise(page: Page, identity: Identity): Promise<void> {
  const cdp = await page.context().newCDPSession(page)
  // With every navigation each session restores its own overrides, even empty ones. The newest session wins.
  await cdp.send('Emulation.setUserAgentOverride', hiddenUserAgentOf(identity))
  // The driver's session emulates the language of its locale; this takes it back.
  await sessionOf(page).send('Emulation.setUserAgentOverride', hiddenUserAgentOf(identity))
  disguiseChildren(page, identity)
  await Promise.all([frameWindow(cdp, identity), downloadPdfs(cdp)])
}

/** Playwright makes the window as large as its page. Real browsers also have tabs and an address bar. */
async function frameWindow(cdp: CDPSession, { viewport, screen }: Identity): Promise<void> {
  if (screen === undefined || viewport.isMobile) return
  const { windowId } = await cdp.send('Browser.getWindowForTarget')
  await cdp.send('Browser.setWindowBounds', { windowId, bounds: { left: 0, top: 0, ...screen } })
}

/** Workers, and frames in their own processes. The driver starts them at once, so a session of ours could be too late. The
 *  driver's own session sends this at their creation, and commands run in order. */
function disguiseChildren(page: Page, identity: Identity): void {
  const session = sessionOf(page)
  session.on('Target.attachedToTarget', ({ sessionId, targetInfo }) => {
    if (targetInfo.type !== 'worker' && targetInfo.type !== 'iframe') return
    const child = session._connection._sessions.get(sessionId)
    // It may have ended meanwhile.
    child?.send('Emulation.setUserAgentOverride', hiddenUserAgentOf(identity)).catch(() => {})
  })
}

/** The driver's internal session of a page. It is not a public API, but the package version is pinned. */
function sessionOf(page: Page): DriverSession {
  const { _connection: connection } = page as unknown as { _connection?: { toImpl?: (page: Page) => Inside } }
  const session = connection?.toImpl?.(page)?.delegate?._mainFrameSession?._client
  if (session === undefined) throw new Error("the driver's session with the page is not known")
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

/** PDFs must become downloads. The browser setting for that removes the PDF plugins, which a page can notice. So a response
 *  header forces the download instead. */
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
