// Guards the requests of a tab. Secret headers go only to their origin, and the document navigates only to permitted
// URLs.
import { lowerCaseNames } from '../../../lib/text/lower-case-names.ts'
import { Failure } from '../../../model/failures.ts'
import { headersForAll, headersTo, setFor } from '../../http/index.ts'
import type { LoadRequest } from '../driver.ts'
import type { Session } from './connection.ts'
import { inOrder } from './header-order.ts'
import type { EventOf } from './protocol.ts'

type Headers = Record<string, string>

interface GuardParts {
  session: Session
  /** The id of the tab's main frame. */
  frameId: string
  /** Headers for every request, in addition to the job's headers. */
  always: Headers
  /** Called with the reason when the document may not navigate. */
  refused: (failure: Failure) => void
}

type Load = Pick<LoadRequest, 'url' | 'headers' | 'beforeDocument'>

export class RequestGuard {
  readonly #parts: GuardParts
  #load: Load = { url: 'about:blank', headers: {} }
  #everywhere: Headers = {}
  #patterns: Patterns = []
  /** Sessions of frames that run in their own processes. */
  readonly #frames = new Set<Session>()
  /** True if the tab has requested the page of the current load. */
  #hasBegun = false
  /** True while steps control the tab. Steps ask for permission themselves, so documents are not checked by this guard. */
  isLed = false

  constructor(parts: GuardParts) {
    this.#parts = parts
    this.#listen(parts.session)
  }

  #listen(session: Session): void {
    session.on('Fetch.requestPaused', event => void this.#judge(session, event))
  }

  /** A frame in its own process gets the same headers for the same origins as the tab. */
  async addFrame(session: Session): Promise<void> {
    this.#frames.add(session)
    this.#listen(session)
    await session.send('Network.setExtraHTTPHeaders', { headers: this.#everywhere })
    await pauseIn(session, inFrames(this.#patterns))
  }

  removeFrame(session: Session): void {
    this.#frames.delete(session)
  }

  /** Call before each load. */
  async begin({ url, headers, beforeDocument }: Load): Promise<void> {
    this.#load = { url, headers: lowerCaseNames(headers), ...(beforeDocument && { beforeDocument }) }
    this.#hasBegun = this.isLed = false
    await this.#sendEverywhere({ ...this.#parts.always, ...headersForAll(this.#load.headers) })
    await this.#pause()
  }

  /** Whether the page may open a window for this URL. Windows are allowed only while steps control the tab, because only
   *  steps can use them. */
  mayOpen = async (url: string): Promise<boolean> => {
    if (!this.isLed) return false
    await this.#load.beforeDocument?.(url)
    return true
  }

  async #sendEverywhere(headers: Headers): Promise<void> {
    if (JSON.stringify(headers) === JSON.stringify(this.#everywhere)) return
    this.#everywhere = headers
    const send = (session: Session) => session.send('Network.setExtraHTTPHeaders', { headers })
    for (const frame of this.#frames) send(frame).catch(() => {})
    await send(this.#parts.session)
  }

  /** Each pause costs a round trip. So this guard pauses only documents and the requests to the origin that gets secret
   *  headers. */
  async #pause(): Promise<void> {
    const { url, headers, beforeDocument } = this.#load
    const isSecretive = Object.keys(headers).length > Object.keys(headersForAll(headers)).length
    const patterns: Patterns = [
      ...(beforeDocument ? [{ urlPattern: '*', resourceType: 'Document' as const }] : []),
      ...(isSecretive ? [{ urlPattern: `${new URL(url).origin}/*` }] : []),
    ]
    if (JSON.stringify(patterns) === JSON.stringify(this.#patterns)) return
    this.#patterns = patterns
    for (const frame of this.#frames) pauseIn(frame, inFrames(patterns)).catch(() => {})
    await pauseIn(this.#parts.session, patterns)
  }

  async #judge(session: Session, event: EventOf<'Fetch.requestPaused'>): Promise<void> {
    const load = this.#load
    try {
      if (this.#isDocument(event)) await this.#askFor(event.request.url, load)
      this.#continue(session, event, load)
    } catch (error) {
      const params = { requestId: event.requestId, errorReason: 'BlockedByClient' } as const
      session.send('Fetch.failRequest', params).catch(() => {})
      // Ignore the failure of an earlier page: it does not concern the current load.
      if (error instanceof Failure && load === this.#load) this.#parts.refused(error)
    }
  }

  #isDocument({ resourceType, frameId }: EventOf<'Fetch.requestPaused'>): boolean {
    return resourceType === 'Document' && frameId === this.#parts.frameId && !this.isLed
  }

  /** Asks for permission to navigate to this URL. The page's own URL is already permitted. Redirects, scripts,
   *  refreshes and forms lead to other URLs. */
  async #askFor(url: string, { url: own, beforeDocument }: Load): Promise<void> {
    const isOwn = isSamePlace(url, own)
    if (!isOwn && !this.#hasBegun) throw new Error('an earlier page of this tab tried to navigate')
    this.#hasBegun = true
    if (!isOwn) await beforeDocument?.(url)
  }

  /** Continues a paused request with its extra headers. After a redirect the browser drops extra headers, but it pauses
   *  that request again. */
  #continue(
    session: Session,
    { requestId, request }: EventOf<'Fetch.requestPaused'>,
    { url, headers }: Load,
  ): void {
    const sent = headersTo(request.url, setFor(url, headers))
    const own = lowerCaseNames(request.headers)
    const further = Object.entries({ ...this.#everywhere, ...sent })
    // A header list replaces all headers of the browser, also their order and letter case. A site could notice that, so
    // the list is sent only if a value differs.
    const isOther = further.some(([name, value]) => own[name] !== value)
    const changed = isOther ? { headers: inOrder({ ...own, ...Object.fromEntries(further) }) } : {}
    session.send('Fetch.continueRequest', { requestId, ...changed }).catch(() => {})
  }
}

type Patterns = Array<{ urlPattern: string; resourceType?: 'Document' }>

/** The patterns for frames. Patterns by resource type are left out, because only the document of the tab itself is
 *  checked. */
const inFrames = (patterns: Patterns): Patterns => patterns.filter(({ resourceType }) => !resourceType)

const pauseIn = (session: Session, patterns: Patterns): Promise<unknown> =>
  patterns.length === 0 ? session.send('Fetch.disable') : session.send('Fetch.enable', { patterns })

/** A browser may upgrade http to https by itself. That request is still for the page's own URL. */
function isSamePlace(one: string, other: string): boolean {
  const [a, b] = [new URL(one), new URL(other)]
  const isUpgraded = a.protocol === 'https:' && b.protocol === 'http:' && a.port === b.port
  const isSameSite = a.origin === b.origin || (isUpgraded && a.hostname === b.hostname)
  return isSameSite && a.pathname === b.pathname && a.search === b.search
}
