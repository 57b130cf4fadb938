// Crawlee's HttpCrawler at its best: storage in memory, SAX by hand, dedupe before enqueueing. ORIGIN OUT
import { Configuration, HttpCrawler, log } from '@crawlee/http'
import { openLines } from './lines.mjs'
import { readPage } from './sax-page.mjs'

const [origin, out] = process.argv.slice(2)
const lines = openLines(out)
const seen = new Set([`${origin}/`])
log.setLevel(log.LEVELS.ERROR)

const crawler = new HttpCrawler(
  {
    minConcurrency: 16,
    maxConcurrency: 32,
    useSessionPool: false,
    maxRequestRetries: 0,
    async requestHandler({ body, request }) {
      const { record, links } = readPage(request.loadedUrl, body.toString())
      lines.add(record)
      await crawler.addRequests(links.filter(url => !seen.has(url) && seen.add(url)))
    },
  },
  new Configuration({ persistStorage: false }),
)

await crawler.run([`${origin}/`])
lines.close()
