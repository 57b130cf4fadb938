// Types of the DevTools protocol that we use. The names are those of the protocol.

interface Cookie {
  name: string
  value: string
  domain: string
  path: string
  expires: number
  httpOnly: boolean
  secure: boolean
  sameSite?: 'Strict' | 'Lax' | 'None'
}

export interface ResponseInfo {
  url: string
  status: number
  statusText: string
  headers: Record<string, string>
  mimeType: string
  remoteIPAddress?: string
  protocol?: string
  /** Milliseconds from the start of the request; -1 if unknown. */
  timing?: { receiveHeadersEnd: number }
}

export interface EvaluateResult {
  result: { type: string; value?: unknown; description?: string }
  exceptionDetails?: { text: string; exception?: { description?: string; value?: unknown } }
}

interface Call<Params, Result = unknown> {
  params: Params
  result: Result
}

interface Answer<Result> {
  result: Result
}

type InContext<Fields = object> = Fields & { browserContextId: string }

export interface Commands {
  'Browser.getVersion': Answer<{ product: string; userAgent: string }>
  'Browser.close': object
  'Browser.grantPermissions': Call<InContext<{ permissions: string[] }>>
  'Browser.setDownloadBehavior': Call<
    | InContext<{ behavior: 'allowAndName'; downloadPath: string; eventsEnabled: true }>
    | { behavior: 'deny'; eventsEnabled: true }
  >
  'Browser.cancelDownload': Call<InContext<{ guid: string }>>
  'Target.createBrowserContext': Call<
    { disposeOnDetach: boolean; proxyServer: string; proxyBypassList: string },
    { browserContextId: string }
  >
  'Target.getBrowserContexts': Answer<{ browserContextIds: string[]; defaultBrowserContextId?: string }>
  'Target.disposeBrowserContext': Call<InContext>
  'Target.createTarget': Call<InContext<{ url: string }>, { targetId: string }>
  'Target.attachToBrowserTarget': Answer<{ sessionId: string }>
  'Target.attachToTarget': Call<{ targetId: string; flatten: true }, { sessionId: string }>
  'Target.setAutoAttach': Call<{
    autoAttach: boolean
    waitForDebuggerOnStart: boolean
    flatten: boolean
    filter?: Array<{ type: string; exclude?: boolean }>
  }>
  'Target.sendMessageToTarget': Call<{ sessionId: string; message: string }>
  'Target.closeTarget': Call<{ targetId: string }>
  'Target.setDiscoverTargets': Call<{ discover: boolean; filter: Array<{ type: string }> }>
  'Storage.getCookies': Call<Partial<InContext>, { cookies: Cookie[] }>
  'Storage.setCookies': Call<Partial<InContext> & { cookies: Cookie[] }>
  'Storage.clearCookies': Call<InContext>
  'Storage.clearDataForOrigin': Call<{ origin: string; storageTypes: string }>
  'Page.enable': object
  'Page.navigate': Call<
    { url: string; referrer?: string },
    { frameId: string; loaderId?: string; errorText?: string; isDownload?: boolean }
  >
  'Page.stopLoading': object
  'Page.handleJavaScriptDialog': Call<{ accept: boolean }>
  'Page.addScriptToEvaluateOnNewDocument': Call<{ source: string }, { identifier: string }>
  'Page.removeScriptToEvaluateOnNewDocument': Call<{ identifier: string }>
  'Page.captureScreenshot': Call<
    { format: 'png'; captureBeyondViewport: boolean; clip?: Clip },
    { data: string }
  >
  'Page.getLayoutMetrics': Answer<{ cssContentSize: { width: number; height: number } }>
  'Page.printToPDF': Call<{ printBackground: boolean; preferCSSPageSize: boolean }, { data: string }>
  'Network.enable': Call<{
    maxTotalBufferSize: number
    maxResourceBufferSize: number
    maxPostDataSize?: number
    enableDurableMessages?: boolean
  }>
  'Network.configureDurableMessages': Call<{ maxTotalBufferSize: number; maxResourceBufferSize: number }>
  'Network.getResponseBody': Call<{ requestId: string }, { body: string; base64Encoded: boolean }>
  'Network.setBlockedURLs': Call<{ urlPatterns: Array<{ urlPattern: string; block: boolean }> }>
  'Network.setBypassServiceWorker': Call<{ bypass: boolean }>
  'Network.setExtraHTTPHeaders': Call<{ headers: Record<string, string> }>
  'Fetch.enable': Call<{ patterns: Array<{ urlPattern: string; resourceType?: 'Document' }> }>
  'Fetch.disable': object
  'Fetch.failRequest': Call<{ requestId: string; errorReason: 'BlockedByClient' }>
  'Fetch.fulfillRequest': Call<{
    requestId: string
    responseCode: number
    responseHeaders: Array<{ name: string; value: string }>
    body: string
  }>
  'Fetch.continueRequest': Call<{
    requestId: string
    headers?: Array<{ name: string; value: string }>
  }>
  'Runtime.enable': object
  'Runtime.runIfWaitingForDebugger': object
  'Runtime.evaluate': Call<
    { expression: string; returnByValue: boolean; awaitPromise?: boolean; userGesture?: boolean },
    EvaluateResult
  >
  'Emulation.setUserAgentOverride': Call<{
    userAgent: string
    acceptLanguage?: string
    platform: string
    userAgentMetadata?: UserAgentMetadata
  }>
  'Emulation.setDeviceMetricsOverride': Call<{
    width: number
    height: number
    deviceScaleFactor: number
    mobile: boolean
    scale: number
  }>
  'Emulation.setTouchEmulationEnabled': Call<{ enabled: boolean }>
  'Emulation.setTimezoneOverride': Call<{ timezoneId: string }>
  'Emulation.setLocaleOverride': Call<{ locale: string }>
  'Emulation.setGeolocationOverride': Call<{ latitude: number; longitude: number; accuracy: number }>
}

export interface Clip {
  x: number
  y: number
  width: number
  height: number
  scale: number
}

export interface UserAgentMetadata {
  brands: Array<{ brand: string; version: string }>
  fullVersionList: Array<{ brand: string; version: string }>
  platform: string
  platformVersion: string
  architecture: string
  model: string
  mobile: boolean
  bitness: string
}

interface Events {
  'Target.targetCreated': { targetInfo: TargetInfo }
  'Target.targetDestroyed': { targetId: string }
  'Target.targetInfoChanged': { targetInfo: TargetInfo }
  'Target.targetCrashed': { targetId: string; status: string }
  'Target.attachedToTarget': { sessionId: string; targetInfo: TargetInfo; waitingForDebugger: boolean }
  'Target.receivedMessageFromTarget': { sessionId: string; message: string }
  'Target.detachedFromTarget': { sessionId: string }
  'Browser.downloadWillBegin': {
    frameId: string
    guid: string
    url: string
    suggestedFilename: string
  }
  'Browser.downloadProgress': {
    guid: string
    receivedBytes: number
    state: 'inProgress' | 'completed' | 'canceled'
  }
  'Page.loadEventFired': { timestamp: number }
  'Page.domContentEventFired': { timestamp: number }
  'Page.frameNavigated': { frame: { id: string; parentId?: string; loaderId: string; url: string } }
  'Page.navigatedWithinDocument': { frameId: string; url: string }
  'Page.javascriptDialogOpening': { type: string; message: string }
  'Network.requestWillBeSent': {
    requestId: string
    loaderId: string
    frameId?: string
    type?: string
    /** Epoch seconds. */
    wallTime: number
    request: {
      url: string
      method: string
      headers: Record<string, string>
      postDataEntries?: Array<{ bytes?: string }>
      hasPostData?: boolean
    }
    redirectResponse?: ResponseInfo
  }
  /** The headers as sent, with cookies. This event arrives before or after the main event of the request. */
  'Network.requestWillBeSentExtraInfo': { requestId: string; headers: Record<string, string> }
  /** The headers as received, with cookies. This event arrives before or after the main event of the response. */
  'Network.responseReceivedExtraInfo': {
    requestId: string
    headers: Record<string, string>
    statusCode: number
  }
  'Network.responseReceived': { requestId: string; type: string; response: ResponseInfo; frameId?: string }
  'Network.dataReceived': { requestId: string; dataLength: number; encodedDataLength: number }
  'Network.loadingFinished': { requestId: string }
  'Network.loadingFailed': { requestId: string; errorText: string; blockedReason?: string }
  'Fetch.requestPaused': {
    requestId: string
    frameId: string
    resourceType: string
    request: { url: string; headers: Record<string, string> }
  }
  'Inspector.targetCrashed': object
  'Runtime.consoleAPICalled': {
    type: string
    args: Array<{ type: string; value?: unknown; description?: string }>
  }
  'Runtime.exceptionThrown': {
    exceptionDetails: { text: string; exception?: { description?: string } }
  }
}

export interface TargetInfo {
  targetId: string
  type: string
  title?: string
  url?: string
  browserContextId?: string
  openerId?: string
}

export type EventName = keyof Events
export type EventOf<Name extends EventName> = Events[Name]
