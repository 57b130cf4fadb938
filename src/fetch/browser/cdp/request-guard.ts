// What a tab may send: headers that could be secrets only to the origin they are for, and its own document nowhere that is not allowed.
import { Failure } from '../../../model/failures.ts'
import { headersForAll, headersTo, setFor } from '../../http/index.ts'
import type { LoadRequest } from '../driver.ts'
import type { Session } from './connection.ts'
import type { EventOf } from './protocol.ts'

type Headers = Record<string, string>

export interface GuardParts {
  session: Session
  /** The main frame of the tab. */
  frameId: string
  /** Sent with every request, beside what the job asks for. */
  always: Headers
  /** Told why the document may not go where it wants to. */
  refused: (failure: Failure) => void
}

type Load = Pick<LoadRequest, 'url' | 'headers' | 'beforeDocument'>

export class RequestGuard {
  readonly #parts: GuardParts
  #load: Load = { url: 'about:blank', headers: {} }
  #everywhere: Headers = {}
  #patterns = ''
  /** The tab asked for the page that it was sent to. */
  #hasBegun = false
  /** Steps lead the tab, and ask themselves before it goes anywhere. */
  isLed = false

  constructor(parts: GuardParts) {
    this.#parts = parts
    parts.session.on('Fetch.requestPaused', event => void this.#judge(event))
  }

  /** To be called before each load. */
  async begin({ url, headers, beforeDocument }: Load): Promise<void> {
    this.#load = { url, headers: inLowerCase(headers), ...(beforeDocument && { beforeDocument }) }
    this.#hasBegun = this.isLed = false
    await this.#sendEverywhere({ ...this.#parts.always, ...headersForAll(this.#load.headers) })
    await this.#pause()
  }

  async #sendEverywhere(headers: Headers): Promise<void> {
    if (JSON.stringify(headers) === JSON.stringify(this.#everywhere)) return
    await this.#parts.session.send('Network.setExtraHTTPHeaders', { headers })
    this.#everywhere = headers
  }

  /** Each pause is a round trip. So only documents are paused, and what goes to the origin that gets more headers than others. */
  async #pause(): Promise<void> {
    const { url, headers, beforeDocument } = this.#load
    const isSecretive = Object.keys(headers).length > Object.keys(headersForAll(headers)).length
    const patterns = [
      ...(beforeDocument ? [{ urlPattern: '*', resourceType: 'Document' as const }] : []),
      ...(isSecretive ? [{ urlPattern: `${new URL(url).origin}/*` }] : []),
    ]
    if (JSON.stringify(patterns) === this.#patterns) return
    if (patterns.length === 0) await this.#parts.session.send('Fetch.disable')
    else await this.#parts.session.send('Fetch.enable', { patterns })
    this.#patterns = JSON.stringify(patterns)
  }

  async #judge(event: EventOf<'Fetch.requestPaused'>): Promise<void> {
    const load = this.#load
    try {
      if (this.#isDocument(event)) await this.#askFor(event.request.url, load)
      this.#continue(event, load)
    } catch (error) {
      const params = { requestId: event.requestId, errorReason: 'BlockedByClient' } as const
      this.#parts.session.send('Fetch.failRequest', params).catch(() => {})
      // What an earlier page still wanted is nothing to the page that is loaded now.
      if (error instanceof Failure && load === this.#load) this.#parts.refused(error)
    }
  }

  #isDocument({ resourceType, frameId }: EventOf<'Fetch.requestPaused'>): boolean {
    return resourceType === 'Document' && frameId === this.#parts.frameId && !this.isLed
  }

  /** The page's own URL was allowed before it came here. Redirects, scripts, refreshes and forms lead on to others. */
  async #askFor(url: string, { url: own, beforeDocument }: Load): Promise<void> {
    const isOwn = isSamePlace(url, own)
    if (!isOwn && !this.#hasBegun) throw new Error('an earlier page of this tab wanted to go on')
    this.#hasBegun = true
    if (!isOwn) await beforeDocument?.(url)
  }

  /** What is continued with is all that is sent. The browser drops it again when this request is redirected; that one is paused in turn. */
  #continue({ requestId, request }: EventOf<'Fetch.requestPaused'>, { url, headers }: Load): void {
    const sent = headersTo(request.url, setFor(url, headers))
    const all = { ...inLowerCase(request.headers), ...this.#everywhere, ...sent }
    const list = Object.entries(all).map(([name, value]) => ({ name, value }))
    this.#parts.session.send('Fetch.continueRequest', { requestId, headers: list }).catch(() => {})
  }
}

/** A browser may ask for https in the place of http by itself; then its first request is the page's own all the same. */
function isSamePlace(one: string, other: string): boolean {
  const [a, b] = [new URL(one), new URL(other)]
  const isUpgraded = a.protocol === 'https:' && b.protocol === 'http:' && a.port === b.port
  const isSameSite = a.origin === b.origin || (isUpgraded && a.hostname === b.hostname)
  return isSameSite && a.pathname === b.pathname && a.search === b.search
}

const inLowerCase = (headers: Headers): Headers =>
  Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]))
