// Scripts that detect when a page has finished loading. A tracker runs from the start of each document, and a query
// reads its state.

/** Current activity and content of the page. */
export interface PageActivity {
  /** Number of pending timers with a delay of at most a few seconds. */
  timers: number
  /** Ages in ms of requests that scripts have in flight. Polling and analytics are left out. */
  requests: number[]
  /** A fingerprint of the visible structure and the amount of text. Clocks and animations do not change it. */
  shape: string
  /** True if a framework root, or the whole page, is still empty. */
  isEmpty: boolean
  /** True if a skeleton, a spinner or "Loading…" is visible. */
  isLoading: boolean
  /** Number of required selectors that have no match yet. */
  missing: number
}

/** Counts short timers and script requests. It wraps functions in proxies, so that they still look native. Timers that
 *  set further timers several levels deep are a loop. A loop counts only while the page grows. An interval counts while
 *  the page grows, and before its first tick if its delay is short. Requests that repeat a URL and body, or a path too
 *  often, are polling and do not count. */
export const trackerScript = `(() => {
  if (window !== top || window.__settling) return
  const longestDelay = 3000, soon = 300, mostTicks = 100, deepest = 4, mostRepeats = 2, mostOfPath = 12
  const timers = new Set(), running = new Set(), requests = new Map(), times = new Map()
  const later = window.setTimeout.bind(window)
  let depth = 0, nextKey = 0, size = 0
  const hasGrown = () => { const before = size; size = document.getElementsByTagName('*').length; return size > before }
  const count = name => { const n = (times.get(name) || 0) + 1; times.set(name, n); return n }
  const noise = /(?:^|[./_-])(?:analytics|collect|beacon|telemetry|metrics|pixel|tracking?|rum|sentry|log(?:s|ging)?|stats?|ping|heartbeat|csp-report)(?:[./?_-]|$)/i
  const isNoise = url => { try { const { host, pathname } = new URL(url, location.href); return noise.test(host + pathname) } catch { return false } }
  const begin = (url, body) => {
    const isPolling = count(String(url).split('?', 1)[0]) > mostOfPath || count(url + ' ' + (typeof body === 'string' ? body : '')) > mostRepeats
    if (isPolling || isNoise(String(url))) return null
    const key = nextKey++
    requests.set(key, performance.now())
    return key
  }
  // Delay the removal, because the page's own code runs first and may start its next request.
  const end = key => { if (key !== null) later(() => later(() => requests.delete(key), 0), 0) }
  const wrap = (owner, name, apply) => { try { owner[name] = new Proxy(owner[name], { apply }) } catch {} }
  wrap(window, 'setTimeout', (target, self, args) => {
    const [callback, delay = 0] = args
    if (typeof callback !== 'function' || delay > longestDelay || (depth >= deepest && !hasGrown())) return Reflect.apply(target, self, args)
    const own = depth + 1
    let id
    const run = function (...given) {
      const before = depth
      depth = own
      try { return callback.apply(this, given) } finally { depth = before; timers.delete(id) }
    }
    id = Reflect.apply(target, self, [run, delay, ...args.slice(2)])
    timers.add(id)
    return id
  })
  wrap(window, 'setInterval', (target, self, args) => {
    const [callback, delay = 0] = args
    if (typeof callback !== 'function' || delay > longestDelay) return Reflect.apply(target, self, args)
    let id, ticks = 0, before = document.getElementsByTagName('*').length
    const run = function (...given) {
      try { return callback.apply(this, given) } finally {
        const now = document.getElementsByTagName('*').length
        if (now > before && ++ticks <= mostTicks && running.has(id)) timers.add(id)
        else timers.delete(id)
        before = now
      }
    }
    id = Reflect.apply(target, self, [run, delay, ...args.slice(2)])
    running.add(id)
    if (delay <= soon) timers.add(id)
    return id
  })
  for (const name of ['clearTimeout', 'clearInterval'])
    wrap(window, name, (target, self, args) => { timers.delete(args[0]); running.delete(args[0]); return Reflect.apply(target, self, args) })
  if (window.requestIdleCallback) {
    wrap(window, 'requestIdleCallback', (target, self, args) => {
      const [callback] = args
      if (typeof callback !== 'function' || depth >= deepest) return Reflect.apply(target, self, args)
      const own = depth + 1, key = {}
      timers.add(key)
      return Reflect.apply(target, self, [function (...given) {
        const before = depth
        depth = own
        try { return callback.apply(this, given) } finally { depth = before; timers.delete(key) }
      }, ...args.slice(1)])
    })
  }
  wrap(window, 'fetch', (target, self, args) => {
    const key = begin(args[0] && args[0].url ? args[0].url : args[0], args[1] && args[1].body)
    const answer = Reflect.apply(target, self, args)
    answer.then(() => end(key), () => end(key))
    return answer
  })
  for (const name of ['json', 'text', 'arrayBuffer', 'blob', 'formData']) {
    wrap(Response.prototype, name, (target, self, args) => {
      const key = nextKey++
      requests.set(key, performance.now())
      const body = Reflect.apply(target, self, args)
      body.then(() => end(key), () => end(key))
      return body
    })
  }
  const opened = new WeakMap()
  wrap(XMLHttpRequest.prototype, 'open', (target, self, args) => { opened.set(self, args[1]); return Reflect.apply(target, self, args) })
  wrap(XMLHttpRequest.prototype, 'send', (target, self, args) => {
    const key = begin(opened.get(self) || '', args[0])
    self.addEventListener('loadend', () => end(key), { once: true })
    return Reflect.apply(target, self, args)
  })
  Object.defineProperty(window, '__settling', { value: { timers, requests }, enumerable: false })
})()`

const rootSelector =
  '#root, #app, #__next, #__nuxt, #___gatsby, #svelte, #q-app, #react-root, #vue-app, #main-app, #spa-root, app-root, [data-reactroot], [ng-app], [data-v-app]'
const loadingSelector =
  '[aria-busy="true"], [role="progressbar"]:not([aria-valuenow]), [class*="skeleton" i], [class*="shimmer" i], [class*="spinner" i], [class*="loading" i], [class*="loader" i], [class*="placeholder-glow" i]'
const loadingWords =
  '^\\\\W*(?:loading|please wait|one moment|wird geladen|bitte warten|laden|chargement|cargando|caricamento|carregando|загрузка|読み込み中|加载中|로딩)'

/** Evaluates to a `PageActivity`. `required` lists selectors that the caller's rules need. */
export const activityScript = (required: readonly string[]) => `(() => {
  const tracked = window.__settling
  const now = performance.now()
  const body = document.body
  const has = (element, selector) => { try { return element.querySelector(selector) !== null } catch { return false } }
  const shown = 'img, picture, canvas, video, iframe, object, embed, svg, input, textarea, select'
  const textOf = element => { let length = 0; const walk = document.createTreeWalker(element, NodeFilter.SHOW_TEXT, node => /^(?:SCRIPT|STYLE|NOSCRIPT|TEMPLATE)$/.test(node.parentElement?.tagName) ? NodeFilter.FILTER_REJECT : NodeFilter.FILTER_ACCEPT); while (length < 1e6 && walk.nextNode()) length += walk.currentNode.data.trim().length; return length }
  const hasComponent = element => [...element.querySelectorAll('*')].slice(0, 500).some(one => one.shadowRoot || (one.localName.includes('-') && customElements.get(one.localName)))
  const isBare = element => textOf(element) === 0 && !has(element, shown) && !hasComponent(element)
  const isVisible = element => {
    const box = element.getBoundingClientRect()
    if (box.width < 2 || box.height < 2 || box.top > innerHeight * 2 || box.bottom < 0) return false
    const style = getComputedStyle(element)
    return style.visibility === 'visible' && style.opacity !== '0'
  }
  const isPlaceholder = element => element !== body && element !== document.documentElement && element.localName !== 'img' && !element.shadowRoot && textOf(element) < 100 && !has(element, 'img[src], video, article') && isVisible(element)
  const roots = body ? [...body.querySelectorAll(${JSON.stringify(rootSelector)})] : []
  const mains = body ? [...body.querySelectorAll('main, [role="main"]')] : []
  const length = body ? textOf(body) : 0
  const says = body && length < 300 && new RegExp(${JSON.stringify(loadingWords)}.replaceAll('\\\\\\\\', '\\\\'), 'i').test((roots[0] ?? body).innerText?.trim() ?? '')
  const isMade = document.scripts.length > 0
  return {
    timers: tracked ? tracked.timers.size : 0,
    requests: tracked ? [...tracked.requests.values()].map(at => now - at) : [],
    shape: length + ' ' + document.getElementsByTagName('*').length,
    isEmpty: isMade && body !== null && (mains.length > 0 && mains.every(isBare) || (roots.length > 0 ? roots.every(isBare) : length < 5 && isBare(body))),
    isLoading: isMade && body !== null && (Boolean(says) || [...body.querySelectorAll(${JSON.stringify(loadingSelector)})].slice(0, 200).some(isPlaceholder)),
    missing: ${JSON.stringify(required)}.filter(selector => { try { return document.querySelector(selector) === null } catch { return false } }).length,
  }
})()`
