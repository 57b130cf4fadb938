// Decides about each message of a client that uses Playwright's own protocol. Playwright's server runs in our process.
// So the filter refuses everything that the server would do in our process: requests, files, recordings, other
// browsers. Commands that the server sends to the browser pass the DevTools protocol filter next.

import { jsonExcess } from '../../../lib/json/json-scan.ts'
import { isObject } from '../../../model/json.ts'
import { messageLimits } from '../cdp/connection.ts'
import { type ClientConsents, missingConsent } from './client-consents.ts'

/** Methods that act only in the browser. */
const allowed = new Set(
  [
    'initialize __abort__',
    // Methods of Browser and BrowserContext.
    'newContext close addCookies addInitScript clearCookies clearPermissions cookies exposeBinding grantPermissions newPage',
    'registerSelectorEngine setTestIdAttributeName setExtraHTTPHeaders setGeolocation setHTTPCredentials setNetworkInterceptionPatterns',
    'setWebSocketInterceptionPatterns setOffline storageState setStorageState newCDPSession newBrowserCDPSession updateSubscription',
    'clockFastForward clockInstall clockPauseAt clockResume clockRunFor clockSetFixedTime clockSetSystemTime',
    // Methods of Page.
    'runBeforeUnload clearConsoleMessages consoleMessages emulateMedia goBack goForward requestGC registerLocatorHandler',
    'resolveLocatorHandlerNoReply unregisterLocatorHandler reload screenshot setViewportSize keyboardDown keyboardUp keyboardInsertText',
    'keyboardType keyboardPress mouseMove mouseDown mouseUp mouseClick mouseWheel touchscreenTap clearPageErrors pageErrors pdf requests',
    'startJSCoverage stopJSCoverage startCSSCoverage stopCSSCoverage bringToFront webStorageItems webStorageGetItem webStorageSetItem',
    'webStorageRemoveItem webStorageClear',
    // Methods of Frame, JSHandle, ElementHandle and Worker.
    'evalOnSelector evalOnSelectorAll addScriptTag addStyleTag ariaSnapshot ariaSnapshotJSON blur check click content dragAndDrop drop dblclick',
    'dispatchEvent evaluateExpression evaluateExpressionHandle fill focus frameElement resolveSelector highlight hideHighlight getAttribute',
    'goto hover innerHTML innerText inputValue isChecked isDisabled isEnabled isHidden isVisible isEditable press querySelector',
    'querySelectorAll queryCount selectOption setContent setInputFiles tap textContent title type uncheck waitForTimeout waitForFunction',
    'waitForSelector expect dispose getPropertyList getProperty jsonValue boundingBox contentFrame ownerFrame scrollIntoViewIfNeeded selectText',
    'waitForElementState disconnect',
    // Methods of Request, Response, Route, WebSocketRoute, Dialog, BindingCall, CDPSession and Artifact.
    'response rawRequestHeaders body securityDetails serverAddr rawResponseHeaders httpVersion sizes redirectNavigationRequest abort continue',
    'fulfill connect ensureOpened sendToPage sendToServer closePage closeServer accept dismiss reject resolve send detach failure cancel delete',
  ].flatMap(names => names.split(' ')),
)

const contextOptions = new Set(
  [
    'noDefaultViewport viewport screen ignoreHTTPSErrors javaScriptEnabled bypassCSP userAgent locale timezoneId geolocation permissions',
    'extraHTTPHeaders offline httpCredentials deviceScaleFactor isMobile hasTouch colorScheme reducedMotion forcedColors acceptDownloads',
    'contrast baseURL strictSelectors serviceWorkers selectorEngines testIdAttributeName storageState timeout',
  ].flatMap(names => names.split(' ')),
)

/** Matches ids of objects that Playwright's server has in our process. All messages to these objects are refused. A
 *  list of methods is not enough, because some of their methods have the same names as allowed methods of pages. */
const ourObjects =
  /^(request-context|tracing|browser-type|playwright|local-?utils|android|electron|writable-stream|stream|json-pipe|debug|socks)/i

/** When a client closes a context, it disposes of the context's request context. This sends no request, so it is
 *  allowed. */
const isDisposal = (guid: string, method: string): boolean =>
  method === 'dispose' && guid.startsWith('request-context@')

const fileParams = ['localPaths', 'localDirectory', 'directoryStream', 'streams', 'path'] as const

export interface PlaywrightMessage {
  id?: number | string
  guid?: string
  method?: string
  params?: Record<string, unknown>
}

/** The parsed message; null if the text is not a message or is too large to parse. */
export function readMessage(text: string): PlaywrightMessage | null {
  try {
    if (jsonExcess(text, messageLimits)) return null
    const message: unknown = JSON.parse(text)
    if (!isObject(message)) return null
    const { guid = '', method, params = {} } = message
    const isMessage = typeof guid === 'string' && typeof method === 'string' && isObject(params)
    return isMessage ? (message as PlaywrightMessage) : null
  } catch {
    return null
  }
}

/** True for a message that only notes what a client waits for. It must get no response, because a response makes
 *  clients fail. */
export const isNote = ({ method }: PlaywrightMessage): boolean => method === '__waitInfo__'

/** Returns why the message is refused; null if the message is allowed. */
export function refusedMessage(
  { guid = '', method = '', params = {} }: PlaywrightMessage,
  consents: ClientConsents,
): string | null {
  if (isDisposal(guid, method)) return null
  if (ourObjects.test(guid) || !allowed.has(method))
    return `${method}: not available in a browser of this service; it would run on the server, not in the browser`
  const file = fileParams.find(name => params[name] !== undefined)
  if (file !== undefined)
    return `${method}: the browser cannot read files; pass { name, mimeType, buffer } in place of a path`
  // A continued request contains all headers, also those that the client did not change. Only the filter of the DevTools
  // protocol knows which headers the client has changed, so that filter decides.
  const missing = method === 'continue' ? null : missingConsent(method, params, consents)
  if (missing !== null) return missing
  if (method !== 'newContext') return null
  const option = Object.keys(params).find(name => params[name] !== undefined && !contextOptions.has(name))
  return option === undefined
    ? null
    : `newContext: the option "${option}" is not available in a browser of this service; leave it out`
}
