// Reads from the markup of a page what describes its brand: name, logo, icons, colors in meta elements, and style
// sheets.

import { imageSource } from '../content/images.ts'
import { titleOf } from '../default-record.ts'
import { compileSelector, type FlatDocument, type NodeId, selectAll, selectFirst } from '../document/index.ts'
import { PageFacts } from '../page-facts.ts'
import { httpUrl, type PageSheet, styleSheets } from '../style-sheets.ts'
import { thingsOf } from '../things.ts'

export interface BrandPage {
  name: string | null
  logo: string | null
  favicon: string | null
  ogImage: string | null
  /** Value of the `theme-color` meta element. */
  themeColor: string | null
  /** Value of the `color-scheme` meta element. */
  scheme: string | null
  /** The `style` attribute of the body, written as a CSS rule. */
  inline: string
  sheets: PageSheet[]
}

export function brandPage(document: FlatDocument, baseUrl: string): BrandPage {
  const facts = new PageFacts(document)
  const meta = (name: string): string | null => facts.meta.get(name)?.[0]?.trim() || null
  const maker = organization(document, baseUrl)
  return {
    name: meta('og:site_name') ?? meta('application-name') ?? maker.name ?? nameInTitle(titleOf(facts)),
    logo: maker.logo ?? logoOf(document, baseUrl),
    favicon: iconOf(document, baseUrl),
    ogImage: httpUrl(meta('og:image'), baseUrl),
    themeColor: meta('theme-color'),
    scheme: meta('color-scheme'),
    inline: inlineStyle(document),
    sheets: styleSheets(document, baseUrl),
  }
}

/** The text after the last separator of the title, where most sites put their name. Without a separator, the whole
 *  title. */
function nameInTitle(title: string | null): string | null {
  const parts = title?.split(/\s+[|–—·•-]\s+/) ?? []
  return parts.length > 1 ? parts.at(-1)!.trim() : (title ?? null)
}

function organization(document: FlatDocument, baseUrl: string): { name: string | null; logo: string | null } {
  const maker = thingsOf(document, baseUrl).find(({ type }) =>
    /(?:organization|corporation|business|store|brand|website)$/i.test(type),
  )
  const { name, logo } = maker?.properties ?? {}
  return { name: typeof name === 'string' ? name : null, logo: httpUrl(addressIn(logo), baseUrl) }
}

/** The value of `image` or `logo` in structured data is a URL, or an object that contains one. */
function addressIn(value: unknown): string | null {
  const one = Array.isArray(value) ? value[0] : value
  if (typeof one === 'string') return one
  const { url, contentUrl } = (one ?? {}) as { url?: unknown; contentUrl?: unknown }
  return [url, contentUrl].find((each): each is string => typeof each === 'string') ?? null
}

const logos = compileSelector(
  'header img, nav img, [class*="logo" i] img, [id*="logo" i] img, img[class*="logo" i], img[id*="logo" i], img[alt*="logo" i], img[src*="logo" i]',
)
const named = /logo|brand/i

/** The first image whose attributes say that it is a logo. Null if there is none, because other images of a
 *  header are often not logos. */
function logoOf(document: FlatDocument, baseUrl: string): string | null {
  for (const node of selectAll(document, logos, 0)) {
    if (!isCalledLogo(document, node)) continue
    const url = httpUrl(imageSource(document, node), baseUrl)
    if (url) return url
  }
  return null
}

/** True if the attributes of the image, or of the three elements around it, contain "logo" or "brand". */
function isCalledLogo(document: FlatDocument, image: NodeId): boolean {
  const own = ['class', 'id', 'alt', 'src'].map(name => document.attribute(image, name) ?? '')
  if (own.some(text => named.test(text))) return true
  let node = document.parent(image)
  for (let depth = 0; depth < 3 && node > 0; depth++, node = document.parent(node))
    if (['class', 'id', 'aria-label'].some(name => named.test(document.attribute(node, name) ?? '')))
      return true
  return false
}

const icons = compileSelector('link[rel~="icon" i], link[rel~="apple-touch-icon" i]')

function iconOf(document: FlatDocument, baseUrl: string): string | null {
  const node = selectFirst(document, icons)
  return node === -1 ? null : httpUrl(document.attribute(node, 'href'), baseUrl)
}

function inlineStyle(document: FlatDocument): string {
  const body = selectFirst(document, compileSelector('body[style]'))
  return body === -1 ? '' : `body{${(document.attribute(body, 'style') ?? '').replace(/[{}]/g, '')}}`
}
