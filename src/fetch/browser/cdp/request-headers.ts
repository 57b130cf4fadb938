// The job's headers in a tab: what any site may know goes everywhere, the rest only to the page's own origin.
import { forOtherOrigin } from '../../http/index.ts'
import type { Session } from './connection.ts'
import type { EventOf } from './protocol.ts'

export class RequestHeaders {
  readonly #session: Session
  readonly #always: Record<string, string>
  #everywhere = '{}'
  #origin: string | null = null
  #secret: Record<string, string> = {}

  constructor(session: Session, always: Record<string, string>) {
    this.#session = session
    this.#always = always
    session.on('Fetch.requestPaused', event => this.#addTo(event))
  }

  async set(url: string, given: Record<string, string>): Promise<void> {
    const headers = inLowerCase(given)
    const harmless = forOtherOrigin(headers, false)
    await this.#sendEverywhere({ ...this.#always, ...harmless })
    const secret = Object.entries(headers).filter(([name]) => !(name in harmless))
    await this.#sendToOrigin(new URL(url).origin, Object.fromEntries(secret))
  }

  async #sendEverywhere(headers: Record<string, string>): Promise<void> {
    const text = JSON.stringify(headers)
    if (text === this.#everywhere) return
    await this.#session.send('Network.setExtraHTTPHeaders', { headers })
    this.#everywhere = text
  }

  /** Pausing requests costs a round trip each, so it is done only for jobs that have something to hide from others. */
  async #sendToOrigin(origin: string, secret: Record<string, string>): Promise<void> {
    const wanted = Object.keys(secret).length === 0 ? null : origin
    this.#secret = secret
    if (wanted === this.#origin) return
    if (wanted === null) await this.#session.send('Fetch.disable')
    else await this.#session.send('Fetch.enable', { patterns: [{ urlPattern: `${origin}/*` }] })
    this.#origin = wanted
  }

  /** What is continued with is all that is sent. The browser drops it again when this request is redirected; that one is paused in turn. */
  #addTo({ requestId, request }: EventOf<'Fetch.requestPaused'>): void {
    const isOwn = this.#origin !== null && request.url.startsWith(`${this.#origin}/`)
    const everywhere = JSON.parse(this.#everywhere) as Record<string, string>
    const all = { ...inLowerCase(request.headers), ...everywhere, ...(isOwn && this.#secret) }
    const headers = Object.entries(all).map(([name, value]) => ({ name, value }))
    this.#session.send('Fetch.continueRequest', { requestId, headers }).catch(() => {})
  }
}

const inLowerCase = (headers: Record<string, string>): Record<string, string> =>
  Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]))
