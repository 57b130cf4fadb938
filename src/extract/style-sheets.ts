// The style sheets of a page in order, each as its text or its URL.
import type { FlatDocument, NodeId } from './document/index.ts'

export type PageSheet = { css: string; media: string } | { url: string; media: string }

export function styleSheets(document: FlatDocument, baseUrl: string): PageSheet[] {
  const sheets: PageSheet[] = []
  for (let node = 1; node < document.size; node++) {
    const name = document.name(node)
    if (name !== 'style' && name !== 'link') continue
    const media = document.attribute(node, 'media') ?? ''
    if (name === 'style') sheets.push({ css: document.text(node), media })
    else if (isStyleLink(document, node)) {
      const url = httpUrl(document.attribute(node, 'href'), baseUrl)
      // A sheet with `onload` has media="print" only until a script enables it, so its media is ignored.
      if (url) sheets.push({ url, media: document.attribute(node, 'onload') === null ? media : '' })
    }
  }
  return sheets
}

const isStyleLink = (document: FlatDocument, node: NodeId): boolean => {
  const rel = (document.attribute(node, 'rel') ?? '').toLowerCase().split(/\s+/)
  const isLateSheet = rel.includes('preload') && document.attribute(node, 'as') === 'style'
  return (rel.includes('stylesheet') && !rel.includes('alternate')) || isLateSheet
}

/** The absolute URL; null if it is not http or https, such as `data:`. */
export function httpUrl(address: string | null | undefined, baseUrl: string): string | null {
  const url = address ? URL.parse(address.trim(), baseUrl) : null
  return url && /^https?:$/.test(url.protocol) ? url.href : null
}
