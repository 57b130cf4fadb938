// The blog: articles with all kinds of text, and their feed.
import { type Article, articles } from '../articles.ts'
import { escapeHtml, type Html, html, jsonLd } from '../html.ts'
import { isoDay, layout } from '../layout.ts'
import { file, page, type Reply, type Route, type Visit } from '../route.ts'
import { notFound } from './not-found.ts'

export const blogRoutes: Route[] = [
  { path: '/blog/', answer: visit => page(blogIndex(visit)) },
  { path: '/blog/:slug', answer: articlePage },
  { path: '/feed.xml', answer: visit => file('application/rss+xml; charset=utf-8', feed(visit)) },
]

function blogIndex(visit: Visit): Html {
  const items = articles.toReversed().map(
    article => html`<li class="card"><h2><a href="/blog/${article.slug}">${article.title}</a></h2>
<p>${article.summary}</p><p><time datetime="${article.publishedAt.toISOString()}">${isoDay(article.publishedAt)}</time></p></li>`,
  )
  return layout(visit, {
    title: 'Blog',
    description: 'Notes from the workshop.',
    canonical: '/blog/',
    crumbs: [
      ['Home', '/'],
      ['Blog', '/blog/'],
    ],
    main: html`<h1>Notes from the workshop</h1><ul class="grid">${items}</ul>`,
  })
}

function articlePage(visit: Visit, slug: string): Reply {
  const article = articles.find(each => each.slug === slug)
  if (!article) return notFound(visit)
  const path = `/blog/${article.slug}`
  const content = layout(visit, {
    title: article.title,
    description: article.summary,
    canonical: path,
    openGraphType: 'article',
    crumbs: [
      ['Home', '/'],
      ['Blog', '/blog/'],
      [article.title, path],
    ],
    head: html`<meta name="author" content="${article.author}">
<meta property="article:published_time" content="${article.publishedAt.toISOString()}">${jsonLd(articleData(article))}`,
    main: articleMain(article),
  })
  return page(content)
}

function articleMain(article: Article): Html {
  const next = articles[(articles.indexOf(article) + 1) % articles.length]!
  return html`<article>
<h1>${article.title}</h1>
<p class="byline">By <a rel="author" href="/about">${article.author}</a>,
<time datetime="${article.publishedAt.toISOString()}">${isoDay(article.publishedAt)}</time></p>
<p class="lead">${article.summary}</p>
<h2>Where it comes from</h2>
<p>We buy ${article.topic} from people we can visit. That makes it <em>slower</em>, and it makes us <strong>careful</strong>:
what cannot be bought again tomorrow is not cut twice today.</p>
<blockquote><p>The first mistake is free. The second one is furniture.</p></blockquote>
<h2>What we look at</h2>
<ol><li>Colour, by daylight</li><li>Weight, by hand</li><li>Smell, with closed eyes
<ul><li>fresh is good</li><li>sweet is better</li></ul></li></ol>
<h2>The same in numbers</h2>
<table><thead><tr><th>Batch</th><th>Share kept</th></tr></thead>
<tbody><tr><td>Spring</td><td>82 %</td></tr><tr><td>Autumn</td><td>91 %</td></tr></tbody></table>
<h3>How we count</h3>
<pre><code class="language-js">const kept = batch.filter(piece =&gt; piece.grade &lt; 3)
console.log(kept.length / batch.length)</code></pre>
<p>Read on: <a href="/blog/${next.slug}">${next.title}</a>.</p>
</article>`
}

function articleData(article: Article): Record<string, unknown> {
  return {
    '@type': 'Article',
    headline: article.title,
    author: { '@type': 'Person', name: article.author },
    datePublished: article.publishedAt.toISOString(),
    description: article.summary,
  }
}

function feed(visit: Visit): string {
  const items = articles
    .toReversed()
    .slice(0, 10)
    .map(article => {
      const link = `${visit.origin}/blog/${article.slug}`
      return `<item><title>${escapeHtml(article.title)}</title><link>${link}</link><guid>${link}</guid>
<pubDate>${article.publishedAt.toUTCString()}</pubDate><description>${escapeHtml(article.summary)}</description></item>`
    })
  return `<?xml version="1.0" encoding="UTF-8"?>
<rss version="2.0"><channel><title>Notes from the workshop</title><link>${visit.origin}/blog/</link>
<description>The blog of Kestrel &amp; Pine</description>
${items.join('\n')}
</channel></rss>
`
}
