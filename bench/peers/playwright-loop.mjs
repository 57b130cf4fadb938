// A bare Playwright loop. ORIGIN OUT PAGES BROWSER new-context|reused-page
import { chromium } from 'playwright-core'
import { openLines } from './lines.mjs'
import { inParallel, readPage, urlsOf } from './rendered-page.mjs'

const [origin, out, pages, executablePath, way] = process.argv.slice(2)
const lines = openLines(out)
const browser = await chromium.launch({ executablePath, args: ['--no-sandbox'] })

async function render(page, url) {
  await page.goto(url)
  await page.waitForSelector('#done')
  lines.add(readPage(url, await page.content()))
}

async function withNewContext(url) {
  const context = await browser.newContext()
  await render(await context.newPage(), url)
  await context.close()
}

const opened = []
async function withReusedPage(url, worker) {
  opened[worker] ??= browser.newContext().then(context => context.newPage())
  await render(await opened[worker], url)
}

await inParallel(4, urlsOf(origin, Number(pages)), way === 'new-context' ? withNewContext : withReusedPage)
lines.close()
await browser.close()
