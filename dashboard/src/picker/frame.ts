// Runs in the sandboxed frame: shows a page without its scripts and loads, and says which element was clicked.
import { selectorFor } from './selector.ts'

const hovered = 'data-kscrape-hover'
const marked = 'data-kscrape-mark'
const own = [hovered, marked]

/** What would run, load, or lead away. The policy of the frame forbids it too; this is so that nothing is even tried. */
const removed =
  'script, noscript, iframe, frame, object, embed, link, meta, base, applet, portal, template, audio, video, source, track'
const loading = [
  'src',
  'srcset',
  'poster',
  'background',
  'action',
  'formaction',
  'ping',
  'data',
  'xlink:href',
  'href',
  'imagesrcset',
]

/** Kept aside, so that the one who picks can be told of them. */
const kept = new WeakMap<Element, Record<string, string>>()

const look = new CSSStyleSheet()
look.replaceSync(`
  [${hovered}] { outline: 2px solid #1f7ae0 !important; outline-offset: 1px; cursor: crosshair !important; }
  [${marked}] { outline: 2px solid #0b8f6a !important; outline-offset: 1px; background: rgb(11 143 106 / 14%) !important; }
  body { margin: 8px; font-family: system-ui, sans-serif; cursor: crosshair; }
  img { min-width: 24px; min-height: 24px; background: #e6ebf0; }
`)

function show(html: string): void {
  const page = new DOMParser().parseFromString(html, 'text/html')
  const styles = [...page.querySelectorAll('style')].map(style => style.textContent ?? '')
  for (const element of page.querySelectorAll(`${removed}, style`)) element.remove()
  for (const element of page.querySelectorAll('*')) disarm(element)
  document.adoptedStyleSheets = [...styles.map(sheetOf), look]
  document.documentElement.lang = page.documentElement.lang
  copyAttributes(page.body, document.body)
  document.body.replaceChildren(...[...page.body.childNodes].map(node => document.importNode(node, true)))
  // Copies are other elements: what was kept aside goes over to them.
  const copies = document.body.querySelectorAll('*')
  page.body.querySelectorAll('*').forEach((element, index) => {
    kept.set(copies[index]!, kept.get(element) ?? {})
    restyle(copies[index] as HTMLElement)
  })
}

/** Styles of the page that only style: nothing is loaded by them, whatever they say. */
function sheetOf(text: string): CSSStyleSheet {
  const sheet = new CSSStyleSheet()
  try {
    sheet.replaceSync(text.replaceAll(/@import[^;]*;?/gi, ''))
  } catch {
    // A style sheet that can't be read is none.
  }
  return sheet
}

const styleAside = 'data-kscrape-style'

function disarm(element: Element): void {
  const attributes: Record<string, string> = {}
  for (const { name, value } of [...element.attributes]) {
    attributes[name] = value
    const lower = name.toLowerCase()
    if (lower.startsWith('on') || loading.includes(lower)) element.removeAttribute(name)
    if (lower === 'style') {
      element.removeAttribute(name)
      element.setAttribute(styleAside, value)
    }
  }
  kept.set(element, attributes)
}

/** By the object model: the policy lets no style be written into the markup. */
function restyle(element: HTMLElement): void {
  const text = element.getAttribute(styleAside)
  element.removeAttribute(styleAside)
  if (text && element.style) element.style.cssText = text
}

function copyAttributes(from: Element, to: Element): void {
  for (const { name } of [...to.attributes]) to.removeAttribute(name)
  for (const { name, value } of from.attributes) if (name !== styleAside) to.setAttribute(name, value)
}

function clear(attribute: string): void {
  for (const element of document.querySelectorAll(`[${attribute}]`)) element.removeAttribute(attribute)
}

function mark(css: string): void {
  clear(marked)
  if (css === '') return
  try {
    for (const element of document.body.querySelectorAll(css)) element.setAttribute(marked, '')
  } catch {
    // Half typed: it finds nothing yet.
  }
}

/** The one above all: what is clicked is picked, and nothing else happens. */
function pick(event: Event): void {
  event.preventDefault()
  event.stopImmediatePropagation()
  const element = event.target
  if (!(element instanceof Element) || element === document.documentElement) return
  clear(hovered)
  const css = selectorFor(element, own)
  parent.postMessage(
    {
      say: 'picked',
      css,
      tag: element.localName,
      text: (element.textContent ?? '').replace(/\s+/g, ' ').trim().slice(0, 500),
      attributes: kept.get(element) ?? {},
      matches: document.querySelectorAll(css).length,
    },
    '*',
  )
}

function hover({ target }: Event): void {
  clear(hovered)
  if (target instanceof Element && target !== document.body) target.setAttribute(hovered, '')
}

for (const name of ['click', 'auxclick', 'submit']) addEventListener(name, pick, true)
for (const name of ['mousedown', 'keydown', 'dragstart', 'contextmenu'])
  addEventListener(name, event => name !== 'keydown' && event.preventDefault(), true)
addEventListener('mouseover', hover, true)
addEventListener('message', ({ source, data }) => {
  if (source !== parent) return
  if (data?.say === 'show') show(String(data.html))
  if (data?.say === 'mark') mark(String(data.css))
})
parent.postMessage({ say: 'ready' }, '*')
