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
    const headers = Object.fromEntries(
      Object.entries(given).map(([name, value]) => [name.toLowerCase(), value]),
    )
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

  /** The browser drops them again when this request is redirected; the redirected one is paused in turn. */
  #addTo({ requestId, request }: EventOf<'Fetch.requestPaused'>): void {
    const isOwn = this.#origin !== null && request.url.startsWith(`${this.#origin}/`)
    const headers = Object.entries({ ...request.headers, ...(isOwn && this.#secret) })
    const list = headers.map(([name, value]) => ({ name, value }))
    this.#session.send('Fetch.continueRequest', { requestId, headers: list }).catch(() => {})
  }
}
