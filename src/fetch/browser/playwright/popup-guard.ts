// Guards windows that pages open. They load nothing before the guard of the opening page permits it.
import type { Browser } from 'playwright-core'
import type { Session } from '../cdp/connection.ts'
import type { EventOf } from '../cdp/protocol.ts'
import { browserCdp } from './session.ts'

/** Whether a window of the tab may load this URL. */
type MayOpen = (url: string) => Promise<boolean>

/** Checks documents of all windows of a browser. The guard of a tab sees only that tab. A new window sends its first
 *  request before a guard could attach to it. */
export class PopupGuard {
  readonly #cdp: Session
  /** The tabs that tasks use, by the id of their main frame. */
  readonly #tabs = new Map<string, MayOpen>()
  /** The browser context of every page, by the id of its main frame. */
  readonly #contexts = new Map<string, string>()

  static async open(browser: Browser): Promise<PopupGuard> {
    const guard = new PopupGuard(await browserCdp(browser))
    await guard.#begin()
    return guard
  }

  private constructor(cdp: Session) {
    this.#cdp = cdp
  }

  async #begin(): Promise<void> {
    const cdp = this.#cdp
    cdp.on('Target.targetCreated', ({ targetInfo: { targetId, browserContextId = '' } }) =>
      this.#contexts.set(targetId, browserContextId),
    )
    cdp.on('Target.targetDestroyed', ({ targetId }) => {
      this.#contexts.delete(targetId)
      this.#tabs.delete(targetId)
    })
    cdp.on('Fetch.requestPaused', event => void this.#judge(event))
    await cdp.send('Target.setDiscoverTargets', { discover: true, filter: [{ type: 'page' }] })
    await cdp.send('Fetch.enable', { patterns: [{ urlPattern: '*', resourceType: 'Document' }] })
  }

  /** Call before the tab loads anything. */
  attend(mainFrame: string, mayOpen: MayOpen): void {
    this.#tabs.set(mainFrame, mayOpen)
  }

  async #judge({ requestId, frameId, request }: EventOf<'Fetch.requestPaused'>): Promise<void> {
    const answer = (await this.#isAllowed(frameId, request.url).catch(() => false))
      ? this.#cdp.send('Fetch.continueRequest', { requestId })
      : this.#cdp.send('Fetch.failRequest', { requestId, errorReason: 'BlockedByClient' })
    await answer.catch(() => {})
  }

  /** Whether this frame may load the URL. Tabs and frames have their own guard, so only pop-ups are checked here. */
  async #isAllowed(frameId: string, url: string): Promise<boolean> {
    const context = this.#contexts.get(frameId)
    if (context === undefined || this.#tabs.has(frameId)) return true
    for (const [tab, mayOpen] of this.#tabs) if (this.#contexts.get(tab) === context) return mayOpen(url)
    return false
  }
}
