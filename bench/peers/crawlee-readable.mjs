// Crawlee without rules: linkedom for the tree and the links, Readability for the content, turndown for markdown. ORIGIN OUT MAX
import { Configuration, HttpCrawler, log } from '@crawlee/http'
import { Readability } from '@mozilla/readability'
import { parseHTML } from 'linkedom'
import TurndownService from 'turndown'
import { openLines } from './lines.mjs'

const [origin, out, most] = process.argv.slice(2)
const lines = openLines(out)
const seen = new Set([`${origin}/`])
const turndown = new TurndownService({ headingStyle: 'atx', codeBlockStyle: 'fenced' })
log.setLevel(log.LEVELS.ERROR)

const crawler = new HttpCrawler(
  {
    minConcurrency: 16,
    maxConcurrency: 32,
    useSessionPool: false,
    maxRequestRetries: 0,
    maxRequestsPerCrawl: Number(most),
    async requestHandler({ body, request, contentType }) {
      if (contentType.type !== 'text/html') return
      const { document } = parseHTML(body.toString())
      // Readability changes the tree, so the links are extracted first.
      const links = linksIn(document, request.loadedUrl)
      const article = new Readability(document).parse()
      lines.add({
        url: request.loadedUrl,
        title: article?.title ?? null,
        text: article?.textContent ?? '',
        markdown: article ? turndown.turndown(article.content) : '',
        links,
      })
      await crawler.addRequests(links.filter(isNew))
    },
  },
  new Configuration({ persistStorage: false }),
)

function linksIn(document, base) {
  const found = new Set()
  for (const link of document.querySelectorAll('a[href]')) {
    const url = URL.parse(link.getAttribute('href'), base)
    if (url === null) continue
    url.hash = ''
    found.add(url.href)
  }
  return [...found]
}

const isNew = url => url.startsWith(`${origin}/`) && !seen.has(url) && seen.add(url)

await crawler.run([`${origin}/`])
lines.close()
