// Crawls a site and prints the title of each page as it comes.
import { crawl } from '../../src/index.ts'

const start = process.argv[2] ?? 'http://127.0.0.1:8080/'

const pages = crawl({
  seedUrls: [start],
  maxPages: 15,
  // The default is one request a second; our own demo site allows more.
  policy: { host: { rate: 20 } },
  // Local and private addresses are refused unless they are named. Public sites need no such line.
  settings: { allowPrivate: [new URL(start).host] },
})

for await (const page of pages) console.log(`${page._page.status}  ${page._page.url}  ${page.title}`)
