// Our own pool, driver and egress proxy, as a browser lane uses them. ORIGIN OUT PAGES BROWSER SEATS
import { openBrowserFetch } from '../../src/fetch/browser/index.ts'
import { EgressGate } from '../../src/fetch/http/index.ts'
import { browserPolicy, rendering } from '../../src/model/policy/rendering.ts'
import { openLines } from './lines.mjs'
import { inParallel, readPage, urlsOf } from './rendered-page.mjs'

const [origin, out, pages, executablePath, seats] = process.argv.slice(2)
const lines = openLines(out)

await using browsers = openBrowserFetch({
  gate: new EgressGate({ allowPrivate: [new URL(origin).host] }),
  places: { path: executablePath },
  poolSize: seats === 'auto' ? 'auto' : Number(seats),
  drivers: {},
  emit: () => {},
  identityFor: async ({ version }) => ({
    id: 'bench',
    userAgent: `Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/${version} Safari/537.36`,
    headers: {},
    viewport: { width: 1280, height: 720, deviceScaleFactor: 1, isMobile: false, hasTouch: false },
    locale: 'en-US',
    languages: ['en-US'],
    timeZone: 'UTC',
    geolocation: null,
    platform: 'Linux x86_64',
  }),
})

const request = {
  jobId: 'bench',
  headers: {},
  browser: 'plain',
  session: 'bench',
  userAgent: 'kscrape bench',
  rendering: rendering.parse({ waitFor: '#done' }),
  policy: browserPolicy.parse({}),
  maxBytes: 20_000_000,
  state: null,
  why: 'bench',
  before: async () => {},
}
const never = new AbortController().signal

async function render(url) {
  const visit = await browsers.open({ ...request, url }, never)
  lines.add(readPage(url, visit.page.body.toString()))
  await visit.release()
}

await inParallel(browsers.stats().total, urlsOf(origin, Number(pages)), render)
lines.close()
