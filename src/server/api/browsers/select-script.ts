// Builds a JavaScript expression that finds elements by selector and returns the fields of Browserless's /scrape.

interface Wanted {
  selector: string
  /** How long to wait for the first match, in milliseconds; default 5,000. */
  timeout?: number | undefined
}

const usualWaitMs = 5_000

export const selectScript = (elements: readonly Wanted[]): string => `(async () => {
  const wanted = ${JSON.stringify(elements.map(({ selector, timeout = usualWaitMs }) => ({ selector, timeout })))}
  const appeared = (selector, timeout) => new Promise(resolve => {
    const found = () => document.querySelector(selector) !== null
    if (found()) return resolve()
    const end = () => { observer.disconnect(); resolve() }
    const observer = new MutationObserver(() => found() && end())
    observer.observe(document, { subtree: true, childList: true, attributes: true })
    setTimeout(end, timeout)
  })
  const shown = element => {
    const { width, height, top, left } = element.getBoundingClientRect()
    const attributes = [...element.attributes].map(({ name, value }) => ({ name, value }))
    return { attributes, html: element.innerHTML, text: element.innerText ?? element.textContent ?? '', width, height, top, left }
  }
  const all = []
  for (const { selector, timeout } of wanted) {
    await appeared(selector, timeout)
    all.push({ selector, results: [...document.querySelectorAll(selector)].map(shown) })
  }
  return all
})()`
