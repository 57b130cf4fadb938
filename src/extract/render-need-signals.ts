// Signals that scripts build the page: empty root elements, placeholders, application code.
import { cleanText } from '../lib/text/clean-text.ts'
import { type FlatDocument, type NodeId, nameSet, nextNamed } from './document/index.ts'
import { elementText } from './element-text.ts'

/** Ids of the root elements of frameworks. */
const rootIds = new Set(
  'root app __next __nuxt ___gatsby __sapper svelte app-root react-root react-app vue-app q-app main-app spa-root single-spa'.split(
    ' ',
  ),
)
const rootAttributes =
  /\s(?:ng-app|data-ng-app|data-reactroot|data-server-rendered|data-v-app|v-cloak|x-cloak)[\s=/>]/i

/** A root with less text than this contains at most a loading message. */
const fewCharacters = 40
const loadingText =
  /^\W*(?:loading|please wait|one moment|starting|wird geladen|bitte warten|laden|chargement|cargando|caricamento|carregando|загрузка|ladataan|laster|indlæser|読み込み中|加载中|로딩)/i
const loadingCharacters = 200

/** `empty`: the first root has no content yet. `filled`: a root has content, so the server rendered the page. */
type Root = { state: 'empty'; tag: string } | { state: 'filled' } | { state: 'none' }

export function rootOf(document: FlatDocument): Root {
  let found: string | null = null
  for (let node = 1; node < document.size; node++) {
    if (!document.isElement(node) || !isRoot(document, node)) continue
    if (isFilled(document, node)) return { state: 'filled' }
    found ??= tagText(document, node)
  }
  return found === null ? { state: 'none' } : { state: 'empty', tag: found }
}

/** True if a root is completely empty, without even a loading message. */
export function hasEmptyRoot(document: FlatDocument): boolean {
  for (let node = 1; node < document.size; node++) {
    const isSmall = document.end(node) <= node + 2 && document.isElement(node)
    if (isSmall && mayBeRoot(document, node) && document.text(node).trim() === '') return true
  }
  return false
}

function mayBeRoot(document: FlatDocument, node: NodeId): boolean {
  const name = document.name(node)
  return name === 'app-root' || (containers.has(name) && rootIds.has(document.attribute(node, 'id') ?? ''))
}

function isRoot(document: FlatDocument, node: NodeId): boolean {
  const name = document.name(node)
  if (name === 'app-root' || (name === 'astro-island' && document.attribute(node, 'client') === 'only'))
    return true
  const tag = document.startTag(node)
  if (tag.length < name.length + 6) return false
  return rootIds.has(document.attribute(node, 'id') ?? '') || rootAttributes.test(tag)
}

function isFilled(document: FlatDocument, node: NodeId): boolean {
  const text = cleanText(elementText(document, node))
  if (text.length < fewCharacters || placeholdersIn(text) > 0) return false
  return text.length >= loadingCharacters || !loadingText.test(text)
}

const tagText = (document: FlatDocument, node: NodeId): string => {
  const id = document.attribute(node, 'id')
  return `<${document.name(node)}${id === null ? '' : ` id="${id.slice(0, 40)}"`}>`
}

/** Words in ids or classes of consent and footer containers. */
const besideNames =
  /(?:^|[\s_-])(?:cookies?|cookie-?(?:banner|bar|notice|consent|law|popup)|consent|gdpr|ccpa|cmp|onetrust|usercentrics|cookiebot|site-?footer|footer|colophon|copyright)(?=$|[\s_-])/i
const besideRoles = /^(?:dialog|alertdialog|contentinfo|banner|navigation)$/i
const containers = new Set('div main section aside form'.split(' '))

function isNamedNotice(document: FlatDocument, node: NodeId): boolean {
  const named = `${document.attribute(node, 'id') ?? ''} ${document.attribute(node, 'class') ?? ''}`
  return besideNames.test(named) || besideRoles.test(document.attribute(node, 'role') ?? '')
}

const noticeWords =
  /cookie|consent|©|copyright|rights reserved|privacy|datenschutz|confidentialité|privacidad/i
const noticeCharacters = 3_000
const contentElements = nameSet('h1', 'main', 'article')

/** True for a container about cookies, privacy or copyright. Empty pages have these too. */
export function isNotice(document: FlatDocument, node: NodeId): boolean {
  if (!containers.has(document.name(node))) return false
  if (isNamedNotice(document, node)) return true
  const inner = nextNamed(document, contentElements, node)
  if (inner !== -1 && inner < document.end(node)) return false
  const text = elementText(document, node)
  return text.length < noticeCharacters && noticeWords.test(text)
}

/** Number of placeholders such as `{{ name }}`, which Vue, AngularJS and similar frameworks fill in the browser. */
export const placeholdersIn = (text: string): number => text.match(/\{\{[^{}]{1,200}\}\}/g)?.length ?? 0

/** The tag of an empty custom element if it is the only element of the body. Null otherwise. */
export function onlyCustomElement(document: FlatDocument, body: NodeId): string | null {
  let found: string | null = null
  for (let node = document.firstChild(body); node >= 0; node = document.nextSibling(node)) {
    if (!document.isElement(node)) continue
    const name = document.name(node)
    if (name.includes('-') && !isFilled(document, node)) found ??= `<${name}>`
    else if (!beside.has(name)) return null
  }
  return found
}

const beside = new Set('script style link noscript template meta'.split(' '))

const asks =
  /(?:enable|activate|turn on|requires?|needs?|without|aktivier|benötigt|activer|activez|habilit|attiva|abilita)[^.]{0,60}java\s?script|java\s?script[^.]{0,60}(?:enabled?|disabled|required|needed|aktivier|deaktiviert|nécessaire|désactivé|habilitado|necesari|abilitato|включ|отключ)/i
/** A message with one of these words is about a part of the page, so it does not count. */
const partOnly = /comment|disqus|chat|map|captcha|newsletter|best experience/i

/** True if a `<noscript>` element says that the page requires scripts. */
export function asksForScripts(document: FlatDocument): boolean {
  for (let node = 1; node < document.size; node++) {
    if (!document.isElement(node) || document.name(node) !== 'noscript') continue
    const text = cleanText(document.text(node))
    if (text.length < 500 && asks.test(text) && !partOnly.test(text)) return true
  }
  return false
}

const runs = /^(?:|module|text\/javascript|application\/javascript|text\/ecmascript|text\/babel)$/i

/** Hosts of analytics, ads, consent and bot checks. Their scripts do not build the page. */
const besideHosts =
  /(?:^|\.)(?:googletagmanager\.com|google-analytics\.com|googlesyndication\.com|google\.com|recaptcha\.net|doubleclick\.net|facebook\.net|hotjar\.com|clarity\.ms|amazon-adsystem\.com|cloudflareinsights\.com|segment\.(?:com|io)|cookiebot\.com|cookielaw\.org|onetrust\.com|usercentrics\.eu|consensu\.org|hcaptcha\.com|challenges\.cloudflare\.com|nr-data\.net|newrelic\.com|sentry-cdn\.com|sentry\.io|plausible\.io|matomo\.cloud|polyfill\.io|disqus\.com|addthis\.com|sharethis\.com)$/i

/** File names of scripts that do not build the page: analytics, ads, and libraries that do nothing by themselves. */
const besideFiles =
  /^(?:gtag|gtm|ga|analytics(?:[._-]?(?:bundle|track(?:er|ing)?))?|fbevents|hotjar(?:-\d+)?|adsbygoogle|pagead|beacon|matomo|piwik|plausible|cookie-?consent|otsdkstub|recaptcha|polyfills?|modernizr|html5shiv(?:-printshiv)?|respond|jquery(?:[._-](?:ui|migrate|core))?|bootstrap(?:\.bundle)?|popper|sentry|bundle\.tracing|nr-loader|wp-emoji-release|comment-reply|lazysizes)(?:[._-]v?\d[\w.]*)?(?:[._-](?:slim|min|prod|esm|umd|[0-9a-f]{6,}))*\.m?js$/i

/** Texts in short inline scripts that load analytics or ads. A longer script may mention them and still build the page. */
const besideSnippets =
  /gtm\.start|GoogleAnalyticsObject|\bgtag\(|dataLayer|fbq\(|\bhj\(|_paq|_gaq|adsbygoogle|clarity|OneTrust|Cookiebot|usercentrics|NREUM|Sentry\.init|_wpemojiSettings/
const snippetCharacters = 4_000

const makesContent =
  /\bfetch\s*\(|XMLHttpRequest|\$\.(?:ajax|get|getJSON)\b|axios|\.innerHTML|insertAdjacentHTML|appendChild|document\.write|createRoot|hydrate|createApp|\bnew Vue\b|angular\.module|ReactDOM|webpackChunk|webpackJsonp|\bimport\s*\(|^\s*import\s|customElements\.define|location\.(?:href\s*=|replace|assign)|window\.location\s*=/

/** Number of scripts that may build content. */
export function appScripts(document: FlatDocument): number {
  let count = 0
  for (let node = 1; node < document.size; node++) {
    if (document.isElement(node) && document.name(node) === 'script' && isApp(document, node)) count++
  }
  return count
}

function isApp(document: FlatDocument, script: NodeId): boolean {
  if (!runs.test((document.attribute(script, 'type') ?? '').trim())) return false
  const address = document.attribute(script, 'src')
  if (address !== null) return isAppFile(address.trim())
  const code = document.text(script).slice(0, 20_000)
  return makesContent.test(code) && !(code.length < snippetCharacters && besideSnippets.test(code))
}

/** Decides by host and file name only, because folders such as `/analytics-app/` are not reliable. */
function isAppFile(address: string): boolean {
  const url = URL.parse(address, 'https://page.invalid/')
  if (url === null || besideHosts.test(url.hostname)) return false
  return !besideFiles.test(url.pathname.slice(url.pathname.lastIndexOf('/') + 1))
}
