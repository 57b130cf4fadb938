// Crawlee's PlaywrightCrawler with storage in memory. ORIGIN OUT PAGES BROWSER
import { Configuration, log, PlaywrightCrawler } from '@crawlee/playwright'
import { openLines } from './lines.mjs'
import { readPage, urlsOf } from './rendered-page.mjs'

const [origin, out, pages, executablePath] = process.argv.slice(2)
const lines = openLines(out)
log.setLevel(log.LEVELS.ERROR)

const crawler = new PlaywrightCrawler(
  {
    minConcurrency: 4,
    maxConcurrency: 4,
    maxRequestRetries: 0,
    launchContext: { launchOptions: { executablePath, args: ['--no-sandbox'] } },
    async requestHandler({ page, request }) {
      await page.waitForSelector('#done')
      lines.add(readPage(request.url, await page.content()))
    },
  },
  new Configuration({ persistStorage: false }),
)

await crawler.run(urlsOf(origin, Number(pages)))
lines.close()
