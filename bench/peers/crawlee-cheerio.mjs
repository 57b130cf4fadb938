// Crawlee's CheerioCrawler with storage in memory. ORIGIN OUT [dedupe-first]
import { CheerioCrawler, Configuration, log } from '@crawlee/cheerio'
import { openLines } from './lines.mjs'

const [origin, out, order] = process.argv.slice(2)
const lines = openLines(out)
const seen = new Set([`${origin}/`])
log.setLevel(log.LEVELS.ERROR)

const crawler = new CheerioCrawler(
  {
    minConcurrency: 16,
    maxConcurrency: 32,
    useSessionPool: false,
    maxRequestRetries: 0,
    async requestHandler({ $, request, enqueueLinks }) {
      lines.add({
        url: request.loadedUrl,
        title: $('title').text(),
        canonical: $('link[rel=canonical]').attr('href'),
        price: $('.price').first().text(),
        description: $('meta[name=description]').attr('content'),
        sku: JSON.parse($('script[type="application/ld+json"]').html()).sku,
      })
      if (order === 'dedupe-first') await crawler.addRequests(newLinks($, request.loadedUrl))
      else await enqueueLinks()
    },
  },
  new Configuration({ persistStorage: false }),
)

function newLinks($, base) {
  const links = $('a[href]')
    .toArray()
    .map(anchor => new URL(anchor.attribs.href, base).href)
  return links.filter(url => !seen.has(url) && seen.add(url))
}

await crawler.run([`${origin}/`])
lines.close()
