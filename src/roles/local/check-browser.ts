// Checks the browser: path, a real page load, sandbox and memory. Installs a browser if there is none.
import { existsSync } from 'node:fs'
import { statfs } from 'node:fs/promises'
import type { Settings } from '../../config/settings.ts'
import { startDemoSite } from '../../demo-site/index.ts'
import { identityMaker } from '../../fetch/browser/identity/identity.ts'
import { openBrowserFetch, type RenderRequest } from '../../fetch/browser/index.ts'
import { type FoundBrowser, findBrowser } from '../../fetch/browser/pool/find-browser.ts'
import { installBrowser, ownBrowsersFolder } from '../../fetch/browser/pool/own-browsers.ts'
import { poolSize, thisMachine } from '../../fetch/browser/pool/pool-size.ts'
import { EgressGate } from '../../fetch/http/index.ts'
import { asFailure } from '../../model/failures.ts'
import { browserPolicy, rendering } from '../../model/policy/rendering.ts'
import type { Finding } from './finding.ts'

type Places = Pick<Settings, 'browserPath' | 'browserPoolSize'>

const howToGet = 'apt-get install -y chromium, or kscrape doctor --fix, or name one in SCRAPER_BROWSER_PATH'
const unsetOrGet = `unset SCRAPER_BROWSER_PATH; if there is no other browser: ${howToGet}`
const origins: Record<FoundBrowser['from'], string> = {
  setting: 'named in SCRAPER_BROWSER_PATH',
  playwright: 'Playwright’s own',
  system: 'the system’s',
  sparticuz: 'of the package @sparticuz/chromium',
}

/** One finding if there is no browser. Otherwise findings about the browser, its sandbox, and its memory. */
export async function checkBrowser(settings: Places): Promise<Finding[]> {
  try {
    const found = await findBrowser({ path: settings.browserPath, wants: 'shell' })
    if (!found) return [none]
    return [await tried(found, settings), sandbox(), await fullBrowser(settings), await room(settings)]
  } catch (error) {
    const fix = settings.browserPath === undefined ? howToGet : unsetOrGet
    return [{ name: 'browser', verdict: 'broken', note: asFailure(error).message, fix }]
  }
}

const none: Finding = {
  name: 'browser',
  verdict: 'missing',
  note: 'none was found; plain pages still work, pages that need a browser fail',
  fix: howToGet,
}

/** Loads a page of the demo site through the egress gate, as a job would. */
async function tried(found: FoundBrowser, settings: Places): Promise<Finding> {
  const what = `${found.executablePath} (${origins[found.from]}, ${found.kind === 'shell' ? 'headless shell' : 'full browser'})`
  try {
    const { version, tookMs } = await loadPage(settings)
    const note = `${what}, version ${version}, loaded a page in ${tookMs} ms`
    return { name: 'browser', verdict: 'ok', note }
  } catch (error) {
    const note = `${what} loaded no page: ${asFailure(error).message}`
    return {
      name: 'browser',
      verdict: 'broken',
      note,
      fix: `install the missing libraries, or another browser: ${howToGet}`,
    }
  }
}

const tryMs = 30_000

async function loadPage({ browserPath }: Places): Promise<{ version: string; tookMs: number }> {
  await using site = await startDemoSite({ products: 1 })
  let version = ''
  const identityFor = identityMaker({ userAgent: 'kscrape-doctor' })
  await using browser = openBrowserFetch({
    gate: new EgressGate({ allowPrivate: [`${site.host}:${site.port}`] }),
    places: { path: browserPath },
    poolSize: 1,
    identityFor: request => {
      version = request.version
      return identityFor(request)
    },
    drivers: {},
    emit: () => {},
  })
  const startedAt = performance.now()
  const visit = await browser.open(visitOf(`${site.url}/`), AbortSignal.timeout(tryMs))
  await visit.release()
  return { version, tookMs: Math.round(performance.now() - startedAt) }
}

const visitOf = (url: string): RenderRequest => ({
  jobId: 'doctor',
  session: 'doctor',
  url,
  headers: {},
  browser: 'plain',
  userAgent: 'kscrape-doctor',
  rendering: rendering.parse({}),
  policy: browserPolicy.parse({ isolation: 'task', keepOnFailure: [] }),
  maxBytes: 10_000_000,
  state: null,
  why: 'kscrape doctor',
  before: async () => {},
})

function sandbox(): Finding {
  const name = 'browser sandbox'
  if (process.getuid?.() !== 0) return { name, verdict: 'ok', note: 'on' }
  const note =
    'off, because Chromium refuses a sandbox to root: a page that escapes from the browser would have root rights'
  return { name, verdict: 'missing', note, fix: 'run kscrape as another user' }
}

async function fullBrowser({ browserPath }: Places): Promise<Finding> {
  const name = 'full browser'
  const full = await findBrowser({ path: browserPath, wants: 'full' })
  if (full?.kind === 'full')
    return { name, verdict: 'ok', note: `${full.executablePath}, for stealth and kscrape login` }
  const note = 'none was found: stealth and kscrape login need Chromium or Chrome'
  return { name, verdict: 'missing', note, fix: 'apt-get install -y chromium' }
}

/** Reports the memory for browser pages. A small /dev/shm is no problem, because Chromium runs with a flag to avoid it. */
async function room({ browserPoolSize }: Places): Promise<Finding> {
  const machine = thisMachine()
  const pages = poolSize(browserPoolSize, machine)
  const memory = `${(machine.memoryBytes / 1e9).toFixed(1)} GB of memory`
  const note = `${pages} pages at a time, for ${machine.cores} cores and ${memory} (SCRAPER_BROWSER_POOL_SIZE); ${await sharedMemory()}`
  return { name: 'browser room', verdict: 'ok', note }
}

async function sharedMemory(): Promise<string> {
  if (!existsSync('/dev/shm')) return 'no /dev/shm, and none is needed'
  const { blocks, bsize } = await statfs('/dev/shm')
  return `/dev/shm has ${Math.round((blocks * bsize) / 1e6)} MB, and is not used`
}

/** Returns a message about the installed browser; null if nothing was missing. */
export async function fixBrowser({ browserPath }: Places): Promise<string | null> {
  const isThere = await findBrowser({ path: browserPath, wants: 'shell' })
  if (isThere) return null
  await installBrowser()
  return `installed a browser into ${ownBrowsersFolder()}`
}
