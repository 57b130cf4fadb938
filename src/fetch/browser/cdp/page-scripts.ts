// Scripts that are evaluated in pages. Values are inserted into them as JSON.

/** The markup, or the displayed text if the document is not markup. Empty if it is longer than `maxLength`. */
export const readScript = (maxLength: number) => `(() => {
  const type = document.contentType
  const isText = !/html|xml|svg/.test(type) && document.querySelector('body > pre') !== null
  const markup = () => (document.doctype === null ? '' : new XMLSerializer().serializeToString(document.doctype) + '\\n') + (document.documentElement?.outerHTML ?? '')
  const text = isText ? document.querySelector('body > pre').textContent : markup()
  let local = []
  try { local = Object.entries(localStorage) } catch {}
  const isTooLong = text.length > ${maxLength}
  return { url: location.href, origin: location.origin, isText, length: text.length, text: isTooLong ? '' : text, local }
})()`

export interface ReadPage {
  url: string
  origin: string
  isText: boolean
  length: number
  text: string
  local: Array<[name: string, value: string]>
}

/** Resolves with true when the selector matches, or with false on timeout. */
export const waitForScript = (selector: string, timeoutMs: number) => `new Promise(resolve => {
  const found = () => document.querySelector(${JSON.stringify(selector)}) !== null
  if (found()) return resolve(true)
  const end = isFound => { observer.disconnect(); resolve(isFound) }
  const observer = new MutationObserver(() => found() && end(true))
  observer.observe(document, { subtree: true, childList: true, attributes: true })
  setTimeout(end, ${timeoutMs}, false)
})`

/** Scrolls down by one window height. Resolves with the new page height and whether the end is reached. */
export const scrollScript = `new Promise(resolve => {
  scrollBy(0, innerHeight)
  requestAnimationFrame(() => setTimeout(() => {
    const { scrollHeight } = document.documentElement
    resolve({ height: scrollHeight, isAtEnd: scrollY + innerHeight >= scrollHeight - 2 })
  }))
})`

/** Runs at the start of every document. Blocks service workers, which could send requests in the background. */
export const initScript = `(() => {
  if (!('ServiceWorkerContainer' in window)) return
  ServiceWorkerContainer.prototype.register = () => Promise.reject(new DOMException('Service workers are off', 'SecurityError'))
})()`

/** Restores local storage. Runs at the start of a document, once per origin. */
export const restoreScript = (kept: Record<string, Array<{ name: string; value: string }>>) => `(() => {
  const items = ${JSON.stringify(kept)}[location.origin]
  if (items === undefined || window !== top) return
  try { for (const { name, value } of items) localStorage.setItem(name, value) } catch {}
})()`
