// Decides about each command that a client of a lent browser sends: pass it on, change it, answer it without the
// browser, or refuse it.
import { defined } from '../../../lib/defined.ts'
import { allowedMethods } from './allowed-methods.ts'
import { type ClientConsents, missingConsent, withoutOwnHeaders } from './client-consents.ts'

export type Params = Record<string, unknown>

export type Decision =
  /** `url` is set when the client changes the URL of an intercepted request. The caller must check that URL like a
   *  document. */
  | { is: 'pass'; params: Params; url?: string }
  /** The client closes the browser. */
  | { is: 'close' }
  | { is: 'refuse'; message: string }

/** What a client may do. */
interface ClientRights extends ClientConsents {
  /** Returns whether the client opened the session that a parameter names. */
  isOwnSession: (sessionId: unknown) => boolean
  /** The original headers of a page's request that waits for the client. Empty for other ids. */
  headersOf: (requestId: unknown) => Readonly<Record<string, string>>
}

/** Decides from the command and the rights of the client, without a call to the browser. */
export function decide(method: string, params: Params, rights: ClientRights): Decision {
  if (!allowedMethods.has(method)) return refuse(`${method} is not available in a browser of this service`)
  const isContinued = method === 'Fetch.continueRequest'
  const asked = isContinued ? withoutOwnHeaders(params, rights.headersOf(params.requestId)) : params
  const missing = missingConsent(method, asked, rights)
  if (missing !== null) return refuse(missing)
  const rule = rules[method]
  if (rule) return rule(params)
  if ('sessionId' in params && !rights.isOwnSession(params.sessionId))
    return refuse(`${method}: session ${String(params.sessionId)} is not a session of this connection`)
  return { is: 'pass', params }
}

const refuse = (message: string): Decision => ({ is: 'refuse', message })

const rules: Record<string, (params: Params) => Decision> = {
  'Browser.close': () => ({ is: 'close' }),
  'Browser.setDownloadBehavior': params => ({ is: 'pass', params: withoutDownloads(params) }),
  'DOM.setFileInputFiles': params =>
    isEmpty(params.files)
      ? { is: 'pass', params }
      : refuse(
          'DOM.setFileInputFiles: the browser cannot read files; in Playwright pass { name, mimeType, buffer } in place of a path',
        ),
  'Input.dispatchDragEvent': params =>
    isEmpty((params.data as Params | undefined)?.files)
      ? { is: 'pass', params }
      : refuse('Input.dispatchDragEvent: data.files must be empty; the browser cannot read files'),
  'Fetch.continueRequest': params => {
    const passed = { ...params, ...withoutHost(params.headers) }
    if (params.url === undefined) return { is: 'pass', params: passed }
    const judged = loading('Fetch.continueRequest', passed)
    return judged.is === 'pass' ? { ...judged, url: String(params.url) } : judged
  },
  'Network.setExtraHTTPHeaders': params => {
    const reserved = Object.keys((params.headers as object | undefined) ?? {}).find(isReserved)
    return reserved === undefined
      ? { is: 'pass', params }
      : refuse(`Network.setExtraHTTPHeaders: the browser sets the header "${reserved}"; leave it out`)
  },
  'Page.navigate': params => loading('Page.navigate', params),
  'Target.createTarget': params => {
    const { url = 'about:blank', width, height, browserContextId, background, newWindow, forTab } = params
    const known = {
      url: url || 'about:blank',
      width,
      height,
      browserContextId,
      background,
      newWindow,
      forTab,
    }
    return loading('Target.createTarget', defined(known))
  },
  'Target.createBrowserContext': params =>
    params.proxyServer || params.proxyBypassList || params.originsWithUniversalNetworkAccess
      ? refuse(
          'Target.createBrowserContext: the service chooses the proxy; name one in the policy of the connection (policy.proxy)',
        )
      : { is: 'pass', params: { disposeOnDetach: true } },
  'Target.attachToTarget': params => ({ is: 'pass', params: { ...params, flatten: true } }),
  'Target.setAutoAttach': params =>
    params.autoAttach === true && params.flatten !== true
      ? refuse('Target.setAutoAttach: only flat sessions are available; set flatten: true')
      : { is: 'pass', params },
  'Tracing.start': params =>
    params.perfettoConfig !== undefined || params.tracingBackend === 'system'
      ? refuse('Tracing.start: only the tracing of this browser is available; leave out perfettoConfig')
      : { is: 'pass', params: { ...params, tracingBackend: 'chrome' } },
}

const schemes = new Set(['http:', 'https:', 'about:', 'data:', 'blob:', 'javascript:'])

/** The reason why a URL cannot be loaded; null if it can. `view-source:` and `filesystem:` URLs contain other URLs, so
 *  they are refused too. */
function refusedUrl(url: unknown): string | null {
  const parsed = typeof url === 'string' ? URL.parse(url) : null
  if (parsed === null) return `"${String(url).slice(0, 200)}" is not an absolute URL`
  return schemes.has(parsed.protocol)
    ? null
    : `${parsed.protocol} URLs cannot be loaded in a browser of this service; use http: or https:`
}

function loading(method: string, params: Params): Decision {
  const refused = refusedUrl(params.url)
  if (refused !== null) return refuse(`${method}: ${refused}`)
  return { is: 'pass', params }
}

/** Cancels downloads, because the file would be on the worker, where the client cannot read it. The client gets the
 *  event of the cancellation. */
const withoutDownloads = ({ browserContextId, eventsEnabled }: Params): Params =>
  defined({ behavior: 'deny', browserContextId, eventsEnabled })

/** A client must not set these headers. With another `Host`, a request would reach another site than the checked one. */
const isReserved = (name: string): boolean => /^(host|proxy-.*|connection|transfer-encoding)$/i.test(name)

function withoutHost(headers: unknown): { headers?: unknown } {
  if (!Array.isArray(headers)) return {}
  return { headers: headers.filter(entry => !isReserved(String((entry as Params | null)?.name))) }
}

const isEmpty = (value: unknown): boolean =>
  value === undefined || (Array.isArray(value) && value.length === 0)
