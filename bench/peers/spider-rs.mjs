// spider-rs: crawling in Rust, extraction in Node by SAX. ORIGIN OUT events|kept
import { createRequire } from 'node:module'
import { openLines } from './lines.mjs'
import { readPage } from './sax-page.mjs'

// The binding itself: the package around it only picks one by platform, and names some that cannot be installed.
const { Website } = createRequire(import.meta.url)('@spider-rs/spider-rs-linux-x64-gnu')
const [origin, out, delivery] = process.argv.slice(2)
const lines = openLines(out)
const website = new Website(`${origin}/`).withRespectRobotsTxt(false).withDelay(0).build()
const extract = page => lines.add(readPage(page.url, page.content).record)

if (delivery === 'events') await extractAsTheyCome()
else await extractAfterwards()
lines.close()
// A subscription that has stopped still keeps the process alive.
process.exit()

/** Its events stop for good when Node falls 44 pages behind (a bounded broadcast), so some pages may be missing. */
async function extractAsTheyCome() {
  let got = 0
  website.subscribe((_, page) => {
    got++
    extract(page)
  })
  // Handed to `crawl` itself, the same callback now and then keeps it from ever resolving.
  await website.crawl()
  // Events that are on their way by then still come.
  for (let before = -1; before < got; ) {
    before = got
    await new Promise(resolve => setTimeout(resolve, 50))
  }
}

async function extractAfterwards() {
  await website.scrape()
  for (const page of website.getPages()) extract(page)
}
