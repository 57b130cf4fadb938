// What emulation leaves out, for a page that must look like everybody's: the window's frame, workers, and the PDF viewer.
import type { CDPSession, Page } from 'playwright-core'
import type { Identity } from '../../../model/policy/rendering.ts'
import { userAgentOf } from '../cdp/emulation.ts'

/** For each new page, before it goes anywhere. */
export async function disguise(page: Page, identity: Identity): Promise<void> {
  const cdp = await page.context().newCDPSession(page)
  // With every navigation each session puts back what it had set, also if that was nothing: the newest one has the last word.
  await cdp.send('Emulation.setUserAgentOverride', userAgentOf(identity))
  // What scripts ask for takes its languages from the session that set them first: the driver's, which knows one only.
  await sessionOf(page).send('Emulation.setUserAgentOverride', userAgentOf(identity))
  translateWorkers(page, identity)
  await Promise.all([frameWindow(cdp, identity), downloadPdfs(cdp)])
}

/** Playwright makes the window as large as the page in it. People's browsers have tabs and an address bar as well. */
async function frameWindow(cdp: CDPSession, { viewport, screen }: Identity): Promise<void> {
  if (screen === undefined || viewport.isMobile) return
  const { windowId } = await cdp.send('Browser.getWindowForTarget')
  await cdp.send('Browser.setWindowBounds', { windowId, bounds: { left: 0, top: 0, ...screen } })
}

/**
 * A worker takes the languages of the browser, not those of its page, unless it is told before its script begins. The driver
 * lets a worker begin by itself, so a session of ours would come too late now and then: the driver's own session tells it,
 * in the moment it is made, and what is said there in order is heard in order.
 */
function translateWorkers(page: Page, identity: Identity): void {
  const session = sessionOf(page)
  session.on('Target.attachedToTarget', ({ sessionId, targetInfo }) => {
    if (targetInfo.type !== 'worker') return
    const worker = session._connection._sessions.get(sessionId)
    // A worker that ended meanwhile needs nothing any more.
    worker?.send('Emulation.setUserAgentOverride', userAgentOf(identity)).catch(() => {})
  })
}

/** The session by which the driver itself speaks to a page. It is told to nobody; the package is pinned. */
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
