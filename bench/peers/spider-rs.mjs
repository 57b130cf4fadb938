// spider-rs: crawling in Rust, extraction in Node by SAX. ORIGIN OUT events|kept
import { Website } from '@spider-rs/spider-rs'
import { openLines } from './lines.mjs'
import { readPage } from './sax-page.mjs'

const [origin, out, delivery] = process.argv.slice(2)
const lines = openLines(out)
const website = new Website(`${origin}/`).withRespectRobotsTxt(false).withDelay(0).build()
const extract = page => lines.add(readPage(page.url, page.content).record)

if (delivery === 'events') await extractAsTheyCome()
else await extractAfterwards()
lines.close()

/** Its events stop for good when Node falls 44 pages behind (a bounded broadcast), so some pages may be missing. */
async function extractAsTheyCome() {
  let got = 0
  await website.crawl((_, page) => {
    got++
    extract(page)
  })
  // Events that are on their way when `crawl` resolves still come.
  for (let before = -1; before < got; ) {
    before = got
    await new Promise(resolve => setTimeout(resolve, 50))
  }
}

async function extractAfterwards() {
  await website.scrape()
  for (const page of website.getPages()) extract(page)
}
