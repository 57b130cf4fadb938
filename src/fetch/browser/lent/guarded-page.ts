// Guards one page of a lent browser, with a protocol session beside the client's. It checks documents before they load,
// sets the identity, and serves the live view.
import { asFailure, type Failure } from '../../../model/failures.ts'
import type { Identity } from '../../../model/policy/rendering.ts'
import type { Session } from '../cdp/connection.ts'
import { furtherHeaders, userAgentOf } from '../cdp/emulation.ts'
import { initScript } from '../cdp/page-scripts.ts'
import type { EventOf, TargetInfo } from '../cdp/protocol.ts'
import { failureHeader } from '../egress/egress-proxy.ts'
import type { SendCommand } from '../seats/page-viewer.ts'

const mostRefusals = 20
const mostLines = 100
const longestLine = 1_000

export class GuardedPage {
  readonly session: Session
  readonly targetId: string
  readonly browserContextId: string | undefined
  readonly #beforeDocument: (url: string) => Promise<void>
  /** Documents that were refused, with the reason. */
  readonly refused: Array<{ url: string; failure: Failure }> = []
  url: string
  title: string
  readonly console: string[] = []

  constructor(session: Session, info: TargetInfo, beforeDocument: (url: string) => Promise<void>) {
    this.session = session
    this.targetId = info.targetId
    this.browserContextId = info.browserContextId
    this.url = info.url ?? 'about:blank'
    this.title = info.title ?? ''
    this.#beforeDocument = beforeDocument
    session.on('Runtime.consoleAPICalled', ({ type, args }) =>
      this.#say(`${type}: ${args.map(textOf).join(' ')}`),
    )
    session.on('Fetch.requestPaused', event => void this.#judge(event))
  }

  async begin(identity: Identity): Promise<void> {
    const { session } = this
    const headers = furtherHeaders(identity)
    await Promise.all([
      session.send('Page.enable'),
      session.send('Runtime.enable'),
      session.send('Fetch.enable', { patterns: [{ urlPattern: '*', resourceType: 'Document' }] }),
      session.send('Network.setBypassServiceWorker', { bypass: true }),
      session.send('Page.addScriptToEvaluateOnNewDocument', { source: initScript }),
      session.send('Emulation.setUserAgentOverride', userAgentOf(identity)),
      Object.keys(headers).length > 0 && session.send('Network.setExtraHTTPHeaders', { headers }),
    ])
  }

  readonly send: SendCommand = (method, params) =>
    this.session.send(method as 'Page.navigate', params as never)

  #say(line: string): void {
    this.console.push(line.slice(0, longestLine))
    if (this.console.length > mostLines) this.console.shift()
  }

  changed({ targetId, url, title }: TargetInfo): void {
    if (targetId !== this.targetId) return
    this.url = url ?? this.url
    this.title = title ?? this.title
  }

  /** Checks only the main document. Requests of frames are checked at the egress gate, as in the pages of jobs. */
  async #judge({ requestId, request, frameId, resourceType }: EventOf<'Fetch.requestPaused'>): Promise<void> {
    const { session } = this
    try {
      if (resourceType === 'Document' && frameId === this.targetId) await this.#beforeDocument(request.url)
      await session.send('Fetch.continueRequest', { requestId })
    } catch (error) {
      await this.#refuse(requestId, request.url, asFailure(error)).catch(() => {})
    }
  }

  async #refuse(requestId: string, url: string, failure: Failure): Promise<void> {
    this.refused.push({ url, failure })
    if (this.refused.length > mostRefusals) this.refused.shift()
    await this.session.send('Fetch.fulfillRequest', refusedDocument(requestId, failure))
  }
}

const textOf = ({
  value,
  description,
  type,
}: {
  value?: unknown
  description?: string
  type: string
}): string => (value === undefined ? (description ?? type) : String(value))

/** The response that replaces a refused document. It is like the egress gate's response to a refused plain request, but
 *  also contains the reason. */
export const refusedDocument = (requestId: string, { code, message, rule }: Failure) => ({
  requestId,
  responseCode: rule.http,
  responseHeaders: [
    { name: failureHeader, value: code },
    { name: 'content-type', value: 'text/plain; charset=utf-8' },
    { name: 'cache-control', value: 'no-store' },
  ],
  body: Buffer.from(`Not fetched: ${code}: ${message}\n`).toString('base64'),
})
