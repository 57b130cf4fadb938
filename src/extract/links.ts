// Finds the links of a page without resolving them. Runs for every page, so it creates no object per link.
import { type FlatDocument, type NodeId, nameSet, nextNamed } from './document/index.ts'

/** The links as parallel arrays: one href and one flag per link. */
export interface FoundLinks {
  /** The base URL of the hrefs: the page's `<base href>`, or its own URL. */
  base: string
  /** Decoded and trimmed. Fragments of the same page, and addresses that are no pages, such as `mailto:`, are left
   *  out. */
  hrefs: string[]
  nofollow: boolean[]
  /** Absolute URL; null if the page declares none. */
  canonical: string | null
  /** True if `<meta name="robots">` says `nofollow` or `none`: no link of the page may be followed. */
  pageNofollow: boolean
}

/** Maximum number of links per page. A page with more links is a trap or broken. */
const maxLinks = 100_000

const linkElements = nameSet('a', 'area', 'link', 'meta', 'base', 'template')

export function findLinks(document: FlatDocument, pageUrl: string): FoundLinks {
  const found: FoundLinks = { base: pageUrl, hrefs: [], nofollow: [], canonical: null, pageNofollow: false }
  let isBased = false
  let node = nextNamed(document, linkElements, 1)
  for (; node !== -1 && found.hrefs.length < maxLinks; node = nextNamed(document, linkElements, node + 1)) {
    switch (document.name(node)) {
      case 'a':
      case 'area':
        addAnchor(document, node, found)
        break
      case 'link':
        addLinkElement(document, node, found)
        break
      case 'meta':
        addMeta(document, node, found)
        break
      case 'base':
        if (!isBased) isBased = setBase(document, node, found, pageUrl)
        break
      case 'template':
        node = document.end(node) - 1
        break
    }
  }
  if (found.canonical !== null) found.canonical = webAddress(found.canonical, found.base)
  return found
}

function addAnchor(document: FlatDocument, node: NodeId, found: FoundLinks): void {
  const href = document.attribute(node, 'href')
  if (href === null) return
  const rel = document.attribute(node, 'rel')
  addHref(found, href, rel !== null && hasWord(rel, 'nofollow'))
}

function addHref(found: FoundLinks, href: string, nofollow: boolean): void {
  const trimmed = href.trim()
  const first = trimmed.charCodeAt(0)
  if (trimmed === '' || first === hash) return
  if (first !== slash && trimmed.includes(':') && notAPage.test(trimmed)) return
  found.hrefs.push(trimmed)
  found.nofollow.push(nofollow)
}

const hash = 35
const slash = 47
const notAPage = /^(?:javascript|mailto|tel|sms|data|blob|about|ftp|file|whatsapp|skype|intent|vbscript):/i

function addLinkElement(document: FlatDocument, node: NodeId, found: FoundLinks): void {
  const rel = document.attribute(node, 'rel')
  const href = rel === null ? null : document.attribute(node, 'href')
  if (rel === null || href === null) return
  const isCanonical = hasWord(rel, 'canonical')
  if (isCanonical && href.trim() !== '') found.canonical ??= href.trim()
  if (isCanonical || hasWord(rel, 'next')) addHref(found, href, false)
}

function addMeta(document: FlatDocument, node: NodeId, found: FoundLinks): void {
  const content = document.attribute(node, 'content')
  if (content === null) return
  if (document.attribute(node, 'name')?.trim().toLowerCase() === 'robots') {
    found.pageNofollow ||= /(?:^|[\s,])(?:nofollow|none)(?:$|[\s,])/i.test(content)
  } else if (document.attribute(node, 'http-equiv')?.trim().toLowerCase() === 'refresh') {
    const target = refreshTarget(content)
    if (target !== null) addHref(found, target, false)
  }
}

/** The URL in a value such as `5; url='/next'`, in its many forms. Null if the page only reloads itself. */
export function refreshTarget(content: string): string | null {
  const target = /^\s*[\d.]*\s*[;,\s]\s*(?:url\s*=\s*)?(.*)$/is.exec(content)?.[1]?.trim()
  if (!target) return null
  const quoted = /^(["'])(.*?)(?:\1|$)/s.exec(target)
  return quoted === null ? target : quoted[2]!
}

/** Only the first base element with a URL counts, even if the URL is invalid. */
function setBase(document: FlatDocument, node: NodeId, found: FoundLinks, pageUrl: string): boolean {
  const href = document.attribute(node, 'href')
  if (href === null) return false
  found.base = webAddress(href, pageUrl) ?? pageUrl
  return true
}

function webAddress(href: string, base: string): string | null {
  const url = URL.parse(href.trim(), base)
  return url !== null && (url.protocol === 'http:' || url.protocol === 'https:') ? url.href : null
}

/** Whether a space-separated list contains the word, ignoring case. */
function hasWord(list: string, word: string): boolean {
  const lower = list.toLowerCase()
  return lower === word || (lower.includes(word) && lower.split(/\s+/).includes(word))
}
