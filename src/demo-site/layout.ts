// The frame around every page: head with metadata, navigation, footer and a little CSS.
import { Html, html, jsonLd, nothing } from './html.ts'
import type { Visit } from './route.ts'

interface PageParts {
  title: string
  description: string
  /** The canonical path of the page. */
  canonical: string
  main: Html
  language?: 'en' | 'de'
  /** The same page in other languages: `[['de', '/de/about']]`. */
  translations?: readonly (readonly [language: string, path: string])[]
  openGraphType?: 'website' | 'product' | 'article'
  image?: string
  crumbs?: readonly (readonly [name: string, path: string])[]
  head?: Html
}

const style = new Html(`<style>
:root{--ink:#22302e;--soft:#6b7a77;--line:#dfe6e3;--accent:#0b7a63;--ground:#fbfaf7}
*{box-sizing:border-box}body{margin:0;background:var(--ground);color:var(--ink);font:16px/1.6 system-ui,sans-serif}
header,main,footer{max-width:62rem;margin:auto;padding:1rem 1.5rem}header{display:flex;gap:1.5rem;align-items:baseline}
header b{font-size:1.2rem}nav ul,.breadcrumbs{display:flex;flex-wrap:wrap;gap:1rem;list-style:none;margin:0;padding:0}
a{color:var(--accent)}h1{line-height:1.2}.breadcrumbs{font-size:.85rem;gap:.5rem}.breadcrumbs li+li:before{content:"› "}
.grid{display:grid;grid-template-columns:repeat(auto-fill,minmax(13rem,1fr));gap:1rem;list-style:none;padding:0}
.card{background:#fff;border:1px solid var(--line);border-radius:.6rem;padding:1rem}.card img{width:100%}
.price{font-weight:700;font-size:1.15rem}del.was{color:var(--soft)}.tag{background:#e5f3ee;border-radius:1rem;padding:.1rem .7rem}
.tags{display:flex;gap:.5rem;list-style:none;padding:0}table{border-collapse:collapse}td,th{border:1px solid var(--line);padding:.3rem .8rem;text-align:left}
pre{background:#22302e;color:#fff;padding:1rem;border-radius:.6rem;overflow:auto}blockquote{border-left:4px solid var(--accent);margin:1rem 0;padding-left:1rem}
footer{border-top:1px solid var(--line);color:var(--soft);font-size:.85rem}
</style>`)

export function layout(visit: Visit, parts: PageParts): Html {
  const { title, description, language = 'en', main, crumbs = [] } = parts
  return html`<!DOCTYPE html>
<html lang="${language}">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${title} · Kestrel &amp; Pine</title>
<meta name="description" content="${description}">
${links(visit, parts)}
${openGraph(visit, parts)}
${crumbs.length > 0 ? breadcrumbData(visit, crumbs) : nothing}
${parts.head ?? nothing}
${style}
</head>
<body>
<header><b>Kestrel &amp; Pine</b>
<nav aria-label="Main"><ul>
<li><a href="/">Home</a></li><li><a href="/categories">Shop</a></li><li><a href="/blog/">Blog</a></li>
<li><a href="/jobs">Jobs</a></li><li><a href="/about">About</a></li><li><a href="/search">Search</a></li>
</ul></nav></header>
<main>
${crumbs.length > 0 ? breadcrumbs(crumbs) : nothing}
${main}
</main>
<footer><p>Kestrel &amp; Pine is a shop that does not exist: it is here to be crawled. <a href="/feed.xml">Feed</a> ·
<a href="/sitemap.xml">Sitemap</a> · <a href="/contact">Contact</a></p></footer>
</body>
</html>
`
}

function links(visit: Visit, { canonical, translations = [], language = 'en' }: PageParts): Html {
  const all = translations.length > 0 ? [[language, canonical] as const, ...translations] : []
  return html`<link rel="canonical" href="${visit.origin}${canonical}">
${all.map(([code, path]) => html`<link rel="alternate" hreflang="${code}" href="${visit.origin}${path}">`)}
<link rel="alternate" type="application/rss+xml" title="Blog" href="/feed.xml">
<link rel="icon" type="image/svg+xml" href="/images/favicon.svg">`
}

function openGraph(
  visit: Visit,
  { title, description, canonical, openGraphType = 'website', image }: PageParts,
): Html {
  return html`<meta property="og:type" content="${openGraphType}">
<meta property="og:title" content="${title}">
<meta property="og:description" content="${description}">
<meta property="og:url" content="${visit.origin}${canonical}">
<meta property="og:site_name" content="Kestrel &amp; Pine">
<meta property="og:image" content="${visit.origin}${image ?? '/images/logo.png'}">
<meta name="twitter:card" content="summary">`
}

function breadcrumbs(crumbs: NonNullable<PageParts['crumbs']>): Html {
  const items = crumbs.map(([name, path]) => html`<li><a href="${path}">${name}</a></li>`)
  return html`<nav aria-label="Breadcrumb"><ol class="breadcrumbs">${items}</ol></nav>`
}

function breadcrumbData(visit: Visit, crumbs: NonNullable<PageParts['crumbs']>): Html {
  const items = crumbs.map(([name, path], index) => ({
    '@type': 'ListItem',
    position: index + 1,
    name,
    item: `${visit.origin}${path}`,
  }))
  return jsonLd({ '@type': 'BreadcrumbList', itemListElement: items })
}

export function isoDay(date: Date): string {
  return date.toISOString().slice(0, 10)
}
