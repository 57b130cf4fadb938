// Runs in the sandboxed frame: shows a page without its scripts, and reports which element was clicked.
const hovered = 'data-kscrape-hover'
const rowMark = 'data-kscrape-row'
const fieldMark = 'data-kscrape-mark'
const numbered = 'data-kscrape-node'

/** Elements that could run code, load files or navigate. They are removed. The frame's Content-Security-Policy would also stop
 *  them. */
const removed =
  'script, noscript, iframe, frame, object, embed, link, meta, base, applet, portal, template, audio, video, source, track, style'
const loading = [
  ...['src', 'srcset', 'poster', 'background', 'action', 'formaction', 'ping', 'data', 'xlink:href', 'href'],
  ...['imagesrcset', 'autofocus', 'popovertarget', 'command', 'commandfor'],
]

interface Look {
  html: string
  styles: string[]
  images: Array<{ node: number; data: string }>
  inStyles: Array<{ address: string; data: string }>
}

const sheetOf = (text: string): CSSStyleSheet => {
  const sheet = new CSSStyleSheet()
  // Removes imports that the service could not inline. The frame's policy would refuse them anyway.
  sheet.replaceSync(text.replaceAll(/@import[^;]*;?/gi, ''))
  return sheet
}

const marks = sheetOf(`
  [${rowMark}] { outline: 1px dashed #1f7ae0 !important; outline-offset: 2px !important; }
  [${fieldMark}] { outline: 2px solid #0b8f6a !important; outline-offset: 1px !important; background-color: rgb(11 143 106 / 16%) !important; }
  [${hovered}] { outline: 2px solid #1f7ae0 !important; outline-offset: 1px !important; }
  html, body, body * { cursor: crosshair !important; }
`)
/** Default styles for pages without style sheets. */
const plain = sheetOf(`
  body { margin: 8px; font-family: system-ui, sans-serif; }
  img { min-width: 24px; min-height: 24px; background: #e6ebf0; }
`)

function show(look: Look): void {
  const page = new DOMParser().parseFromString(look.html, 'text/html')
  for (const element of page.querySelectorAll(removed)) element.remove()
  const styles = new Map<string, string>()
  for (const element of page.querySelectorAll('*')) disarm(element, styles)
  const sheets = look.styles.map(safeSheet)
  document.adoptedStyleSheets = [...(sheets.length > 0 ? sheets : [plain]), marks]
  copyAttributes(page.documentElement, document.documentElement)
  copyAttributes(page.body, document.body)
  document.body.replaceChildren(...[...page.body.childNodes].map(node => document.importNode(node, true)))
  dress(look, styles)
}

function safeSheet(text: string): CSSStyleSheet {
  try {
    return sheetOf(text)
  } catch {
    // The style sheet is invalid, so the page is shown without it.
    return new CSSStyleSheet()
  }
}

/** Sets images and inline styles, with data instead of URLs. Styles are set through the object model, because the policy
 *  allows none in markup. */
function dress({ images, inStyles }: Look, styles: ReadonlyMap<string, string>): void {
  for (const { node, data } of images) {
    const element = elementOf(node)
    if (element instanceof HTMLImageElement && data.startsWith('data:image/')) element.src = data
  }
  const known = new Map(inStyles.map(({ address, data }) => [address, data]))
  for (const [node, text] of styles) {
    const element = elementOf(Number(node))
    if (!(element instanceof HTMLElement || element instanceof SVGElement)) continue
    element.style.cssText = text.replaceAll(
      /url\(\s*["']?([^"')]+)["']?\s*\)/gi,
      (_all, address: string) => `url("${known.get(address) ?? 'data:,'}")`,
    )
  }
}

const elementOf = (node: number): Element | null =>
  document.querySelector(`[${numbered}="${Number(node) | 0}"]`)

function disarm(element: Element, styles: Map<string, string>): void {
  const node = element.getAttribute(numbered)
  for (const { name, value } of [...element.attributes]) {
    const lower = name.toLowerCase()
    if (lower.startsWith('on') || loading.includes(lower) || lower === 'style') element.removeAttribute(name)
    if (lower === 'style' && node !== null) styles.set(node, value)
  }
}

function copyAttributes(from: Element, to: Element): void {
  for (const { name } of [...to.attributes]) to.removeAttribute(name)
  for (const { name, value } of from.attributes) to.setAttribute(name, value)
}

function clear(attribute: string): void {
  for (const element of document.querySelectorAll(`[${attribute}]`)) element.removeAttribute(attribute)
}

function mark(attribute: string, nodes: readonly number[]): void {
  clear(attribute)
  for (const node of nodes) elementOf(node)?.setAttribute(attribute, '')
}

/** Reports the clicked element. Runs before the page's own handlers and stops them, so that a click only selects an element. */
function pick(event: Event): void {
  event.preventDefault()
  event.stopImmediatePropagation()
  const element = event.target instanceof Element ? event.target.closest(`[${numbered}]`) : null
  if (element === null || element === document.documentElement || element === document.body) return
  clear(hovered)
  parent.postMessage({ say: 'picked', node: Number(element.getAttribute(numbered)) }, '*')
}

function hover({ target }: Event): void {
  clear(hovered)
  if (target instanceof Element && target !== document.body) target.setAttribute(hovered, '')
}

for (const name of ['click', 'auxclick', 'submit']) addEventListener(name, pick, true)
for (const name of ['mousedown', 'dragstart', 'contextmenu'])
  addEventListener(name, event => event.preventDefault(), true)
addEventListener('mouseover', hover, true)
addEventListener('message', ({ source, data }) => {
  if (source !== parent) return
  if (data?.say === 'show') show(data.look)
  if (data?.say === 'mark') {
    mark(rowMark, data.rows)
    mark(fieldMark, data.fields)
  }
})
parent.postMessage({ say: 'ready' }, '*')
