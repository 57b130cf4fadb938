// The scripts of the probe page, which run in the client's browser. They write JSON into `#probe` when they are done.

/** Reads the same facts in a web worker. Automation tools often forget to disguise the worker. */
export const probeWorker = `const { userAgent, platform, languages, hardwareConcurrency } = navigator
const timeZone = Intl.DateTimeFormat().resolvedOptions().timeZone
postMessage({ userAgent, platform, languages, hardwareConcurrency, timeZone, webdriver: navigator.webdriver === true,
  brands: navigator.userAgentData ? navigator.userAgentData.brands : null })
`

export const probeScript = `const waitFor = (work, otherwise) =>
  Promise.race([work, new Promise(done => setTimeout(done, 3000, otherwise))]).catch(error => String(error))

const isNative = fn => typeof fn === 'function' && /\\{\\s*\\[native code\\]\\s*\\}$/.test(Function.prototype.toString.call(fn))
const getterOf = (object, name) => Object.getOwnPropertyDescriptor(object, name)?.get

function inWorker() {
  return new Promise((done, fail) => {
    const worker = new Worker('/probe/worker.js')
    worker.onmessage = ({ data }) => done(data)
    worker.onerror = () => fail(new Error('the worker did not start'))
  })
}

function inFrame() {
  const frame = document.createElement('iframe')
  frame.srcdoc = '<p>frame</p>'
  document.body.append(frame)
  const { navigator: inside, chrome } = frame.contentWindow
  const seen = { webdriver: inside.webdriver === true, userAgent: inside.userAgent, platform: inside.platform,
    languages: [...inside.languages], chrome: typeof chrome, isItself: frame.contentWindow === window }
  frame.remove()
  return seen
}

// Whether a driver listens to the console (Runtime.enable). The browser then formats logged errors for the driver and reads their
// stack.
function isConsoleRead() {
  let reads = 0
  Error.prepareStackTrace = () => { reads++; return '' }
  console.debug(new Error('probe'))
  delete Error.prepareStackTrace
  return reads > 0
}

function automationGlobals() {
  const known = /^(cdc_|\\$cdc|\\$chrome_|__playwright|__pw|__puppeteer|__selenium|__webdriver|__driver|__fxdriver|__nightmare|_phantom|callPhantom|_selenium|domAutomation|calledSelenium|webdriver$|awesomium|kscrape)/i
  const names = [...Object.getOwnPropertyNames(window), ...Object.getOwnPropertyNames(document)]
  return names.filter(name => known.test(name))
}

/** Properties of the browser that a script has replaced. */
function forgeries() {
  const getters = { webdriver: Navigator.prototype, userAgent: Navigator.prototype, platform: Navigator.prototype,
    languages: Navigator.prototype, plugins: Navigator.prototype, contentWindow: HTMLIFrameElement.prototype,
    width: Screen.prototype, height: Screen.prototype }
  const forged = Object.entries(getters).filter(([name, owner]) => !isNative(getterOf(owner, name))).map(([name]) => name)
  const functions = { query: navigator.permissions && navigator.permissions.query, toString: Function.prototype.toString,
    getParameter: WebGLRenderingContext.prototype.getParameter, resolvedOptions: Intl.DateTimeFormat.prototype.resolvedOptions }
  forged.push(...Object.entries(functions).filter(([, fn]) => !isNative(fn)).map(([name]) => name))
  return [...forged, ...Object.getOwnPropertyNames(navigator)]
}

function graphics() {
  const gl = document.createElement('canvas').getContext('webgl')
  const info = gl && gl.getExtension('WEBGL_debug_renderer_info')
  return info && { vendor: gl.getParameter(info.UNMASKED_VENDOR_WEBGL), renderer: gl.getParameter(info.UNMASKED_RENDERER_WEBGL) }
}

async function permissions() {
  const { state } = await navigator.permissions.query({ name: 'notifications' })
  return { notifications: state, notification: typeof Notification === 'undefined' ? null : Notification.permission }
}

async function userAgentData() {
  const data = navigator.userAgentData
  if (!data) return null
  const more = await data.getHighEntropyValues(['architecture', 'bitness', 'model', 'platformVersion', 'fullVersionList'])
  return { ...data.toJSON(), ...more }
}

async function look() {
  const { locale, timeZone } = Intl.DateTimeFormat().resolvedOptions()
  const { chrome } = window
  return {
    headers: { document: JSON.parse(document.querySelector('#headers').textContent),
      part: await fetch('/probe/headers').then(answer => answer.json()) },
    navigator: { userAgent: navigator.userAgent, platform: navigator.platform, vendor: navigator.vendor,
      webdriver: navigator.webdriver === true, language: navigator.language, languages: [...navigator.languages],
      plugins: navigator.plugins.length, pdfViewerEnabled: navigator.pdfViewerEnabled, cookieEnabled: navigator.cookieEnabled,
      hardwareConcurrency: navigator.hardwareConcurrency, maxTouchPoints: navigator.maxTouchPoints },
    userAgentData: await waitFor(userAgentData(), null),
    chrome: chrome ? { keys: Object.keys(chrome), hasRuntimeId: Boolean(chrome.runtime && chrome.runtime.id) } : null,
    locale, timeZone, offsetMinutes: new Date().getTimezoneOffset(),
    screen: { width: screen.width, height: screen.height, availWidth: screen.availWidth, availHeight: screen.availHeight, colorDepth: screen.colorDepth },
    window: { innerWidth, innerHeight, outerWidth, outerHeight, devicePixelRatio, hasFocus: document.hasFocus(), visibility: document.visibilityState },
    media: { isWidthTrue: matchMedia('(width: ' + innerWidth + 'px)').matches, isCoarse: matchMedia('(pointer: coarse)').matches },
    permissions: await waitFor(permissions(), null),
    graphics: graphics(),
    worker: await waitFor(inWorker(), null),
    frame: inFrame(),
    isConsoleRead: isConsoleRead(),
    globals: automationGlobals(),
    forgeries: forgeries(),
  }
}

const brandText = brands => brands.map(({ brand, version }) => '"' + brand + '";v="' + version + '"').join(', ')

/** Lists signals that the browser of an ordinary user does not show. */
function doubtsOf(seen) {
  const { headers, navigator: own, userAgentData: data, worker, frame, window: view, screen: display } = seen
  const doubts = []
  const doubt = (isStrange, what) => isStrange && doubts.push(what)
  const isMobile = /Mobile|Android/.test(own.userAgent)
  const version = (/Chrome\\/(\\d+)/.exec(own.userAgent) || [])[1]
  doubt(own.webdriver || frame.webdriver || (worker && worker.webdriver), 'it says that it is automated')
  doubt(/Headless/.test(JSON.stringify(seen)), 'it says that it has no window')
  doubt(seen.isConsoleRead, 'a driver reads its console')
  doubt(seen.globals.length > 0, 'a driver left names behind: ' + seen.globals)
  doubt(seen.forgeries.length > 0, 'its own functions were replaced: ' + seen.forgeries)
  doubt(headers.document['user-agent'] !== own.userAgent, 'the user agent of the request is not that of the page')
  doubt(headers.part['user-agent'] !== own.userAgent, 'the user agent changes between requests')
  doubt(!worker || worker.userAgent !== own.userAgent || worker.platform !== own.platform, 'a worker has another user agent or platform')
  doubt(worker && String(worker.languages) !== String(own.languages), 'a worker has other languages')
  doubt(worker && worker.timeZone !== seen.timeZone, 'a worker is in another time zone')
  doubt(frame.userAgent !== own.userAgent || frame.platform !== own.platform || frame.isItself, 'a frame has another user agent or platform')
  doubt(!data || data.brands.length < 2, 'it has no client hints')
  doubt(data && headers.document['sec-ch-ua'] !== brandText(data.brands), 'the client hints of the request are not those of the page')
  doubt(data && !data.brands.some(each => each.brand === 'Chromium' && each.version === version), 'the client hints name another version than the user agent')
  doubt(data && worker && worker.brands && brandText(worker.brands) !== brandText(data.brands), 'the client hints of a worker differ')
  doubt(data && data.mobile !== /Mobile/.test(own.userAgent), 'client hints and user agent disagree about being a phone')
  const system = data && data.platform
  const platforms = { Linux: /^Linux (x86_64|aarch64)/, Windows: /^Win32/, macOS: /^MacIntel/, Android: /^Linux (armv|aarch64)/ }
  doubt(system && !(platforms[system] && platforms[system].test(own.platform)), 'the platform is not that of its client hints')
  doubt(system && !({ Linux: /X11; Linux/, Windows: /Windows NT/, macOS: /Mac OS X/, Android: /Android/ })[system].test(own.userAgent), 'the user agent names another system than the client hints')
  doubt(own.vendor !== 'Google Inc.', 'the vendor is not that of Chrome')
  doubt(!seen.chrome, 'window.chrome is missing, which every Chrome has')
  doubt(seen.chrome && seen.chrome.hasRuntimeId, 'an extension is at work')
  doubt(!isMobile && own.plugins === 0, 'it has no plugins')
  doubt(own.languages.length === 0 || own.languages[0] !== own.language, 'its language is not its first')
  doubt(!String(headers.document['accept-language']).startsWith(own.language), 'Accept-Language does not match its language')
  doubt(seen.locale.split('-')[0] !== own.language.split('-')[0], 'its dates are written in another language')
  doubt(view.innerWidth > display.width || view.innerHeight > display.height, 'the window is larger than the screen')
  doubt(!isMobile && (view.outerWidth < view.innerWidth || view.outerHeight <= view.innerHeight), 'the window has no frame')
  doubt(!isMobile && (view.outerWidth > display.width || view.outerHeight > display.height), 'the window is larger than the screen')
  doubt(!seen.media.isWidthTrue, 'style sheets see another width')
  doubt(isMobile !== own.maxTouchPoints > 0, 'touch and device disagree')
  doubt(isMobile !== seen.media.isCoarse, 'pointer and device disagree')
  doubt(view.visibility !== 'visible', 'the page is not visible')
  doubt(seen.permissions && seen.permissions.notification === 'denied' && seen.permissions.notifications === 'prompt', 'permissions contradict each other')
  return doubts
}

look().then(seen => ({ ...seen, doubts: doubtsOf(seen) }), error => ({ error: String(error && error.stack) })).then(seen => {
  const shown = document.querySelector('#seen')
  shown.textContent = JSON.stringify(seen, null, 1)
  shown.id = 'probe'
})
`
