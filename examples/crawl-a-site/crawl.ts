// Crawls a site and prints the title of each page when its record arrives.
import { crawl } from '../../src/index.ts'

const start = process.argv[2] ?? 'http://127.0.0.1:8080/'

const pages = crawl({
  seedUrls: [start],
  maxPages: 15,
  // The default is one request per second. Our own demo site allows more.
  policy: { host: { rate: 20 } },
  // Local and private addresses must be allowed by name. Public sites do not need this line.
  settings: { allowPrivate: [new URL(start).host] },
})

for await (const page of pages) console.log(`${page._page.status}  ${page._page.url}  ${page.title}`)
