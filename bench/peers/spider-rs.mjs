// spider-rs: crawling in Rust, extraction in Node by SAX. ORIGIN OUT events|kept
import { createRequire } from 'node:module'
import { openLines } from './lines.mjs'
import { readPage } from './sax-page.mjs'

// Loads the binding directly. The package around it only selects one by platform, and names some that cannot be installed.
const { Website } = createRequire(import.meta.url)('@spider-rs/spider-rs-linux-x64-gnu')
const [origin, out, delivery] = process.argv.slice(2)
const lines = openLines(out)
const website = new Website(`${origin}/`).withRespectRobotsTxt(false).withDelay(0).build()
const extract = page => lines.add(readPage(page.url, page.content).record)

if (delivery === 'events') await extractAsTheyCome()
else await extractAfterwards()
lines.close()
// Exits explicitly, because a subscription keeps the process alive even after it has stopped.
process.exit()

/** Some pages may be missing: spider-rs sends events through a bounded channel, and if Node is 44 pages behind, they stop for good. */
async function extractAsTheyCome() {
  let got = 0
  website.subscribe((_, page) => {
    got++
    extract(page)
  })
  // If the callback is passed to `crawl` itself, `crawl` sometimes never resolves.
  await website.crawl()
  // Waits for events that are still in flight.
  for (let before = -1; before < got; ) {
    before = got
    await new Promise(resolve => setTimeout(resolve, 50))
  }
}

async function extractAfterwards() {
  await website.scrape()
  for (const page of website.getPages()) extract(page)
}
