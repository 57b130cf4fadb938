// Finds a browser. The order is: the configured one, Playwright's, the system's, the one from npm.
import { access, constants, readdir } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { homedir } from 'node:os'
import { dirname, join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { Failure } from '../../../model/failures.ts'
import { chromiumPackage, ownBrowsersFolder } from './own-browsers.ts'

/** `shell`: headless Chromium, faster for plain pages. `full`: ordinary Chromium, for stealth and visible windows. */
export type BrowserWant = 'shell' | 'full'

export interface FoundBrowser {
  executablePath: string
  kind: BrowserWant
  from: 'setting' | 'playwright' | 'system' | 'sparticuz'
  /** Extra environment variables of this browser. */
  env?: Record<string, string>
}

export interface BrowserPlaces {
  /** Value of SCRAPER_BROWSER_PATH. If set, no other browser is used. */
  path?: string | undefined
  wants: BrowserWant
  /** The folders of PATH. */
  programFolders?: readonly string[]
  /** The folder where Playwright installs browsers. */
  playwrightFolder?: string
  /** The package `@sparticuz/chromium`, if it is installed. */
  sparticuz?: () => Promise<SparticuzChromium | null>
}

interface SparticuzChromium {
  executablePath(): Promise<string>
}

const usualFolders = ['/usr/local/bin', '/usr/bin', '/bin', '/snap/bin', '/opt/google/chrome']

/** Names of executables; the first match wins. A full browser can also render plain pages, but a shell cannot replace a
 *  full browser. */
const systemNames: Record<BrowserWant, string[]> = {
  shell: ['chromium-headless-shell', 'chrome-headless-shell', 'headless_shell'],
  full: ['chromium', 'chromium-browser', 'google-chrome-stable', 'google-chrome', 'chrome'],
}

export async function findBrowser(places: BrowserPlaces): Promise<FoundBrowser | null> {
  if (places.path !== undefined) return named(places.path)
  return (await fromPlaywright(places)) ?? (await fromSystem(places)) ?? (await fromSparticuz(places))
}

/** The message is one line and contains the command that installs a browser. */
export function browserMissing(wants: BrowserWant): Failure {
  const what = wants === 'full' ? 'No Chromium or Chrome' : 'No browser'
  return new Failure(
    'browser.missing',
    `${what} was found for a page that needs one: run "apt-get install -y chromium" or "kscrape doctor --fix", or name one in SCRAPER_BROWSER_PATH`,
    { wants },
  )
}

async function named(path: string): Promise<FoundBrowser> {
  if (!(await isProgram(path))) {
    throw new Failure(
      'browser.missing',
      `SCRAPER_BROWSER_PATH ${path} is not a program that can be run: run "kscrape doctor", then name another or unset it`,
      { path },
    )
  }
  return { executablePath: path, kind: /headless[-_]shell/.test(path) ? 'shell' : 'full', from: 'setting' }
}

const kindsFor = (wants: BrowserWant): BrowserWant[] => (wants === 'shell' ? ['shell', 'full'] : ['full'])

async function fromSystem({
  wants,
  programFolders = usualFolders,
}: BrowserPlaces): Promise<FoundBrowser | null> {
  for (const kind of kindsFor(wants)) {
    const paths = systemNames[kind].flatMap(name => programFolders.map(folder => join(folder, name)))
    const executablePath = await firstProgram(paths)
    if (executablePath !== null) return { executablePath, kind, from: 'system' }
  }
  return null
}

/** Folder names contain kind and revision: `chromium-1200`, `chromium_headless_shell-1200`. The newest one wins. */
async function fromPlaywright(places: BrowserPlaces): Promise<FoundBrowser | null> {
  const folder = places.playwrightFolder ?? join(homedir(), '.cache', 'ms-playwright')
  const names = await readdir(folder).catch((): string[] => [])
  for (const kind of kindsFor(places.wants)) {
    const prefix = kind === 'shell' ? 'chromium_headless_shell-' : 'chromium-'
    const newestFirst = names.filter(name => name.startsWith(prefix)).sort(byRevision)
    const executablePath = await firstProgram(
      newestFirst.flatMap(name => playwrightPrograms(join(folder, name))),
    )
    if (executablePath !== null) return { executablePath, kind, from: 'playwright' }
  }
  return null
}

const byRevision = (a: string, b: string): number => Number(b.split('-').at(-1)) - Number(a.split('-').at(-1))

const playwrightPrograms = (folder: string): string[] => [
  join(folder, 'chrome-linux', 'headless_shell'),
  join(folder, 'chrome-headless-shell-linux64', 'chrome-headless-shell'),
  join(folder, 'chrome-linux', 'chrome'),
  join(folder, 'chrome-linux64', 'chrome'),
]

async function fromSparticuz({
  wants,
  sparticuz = importSparticuz,
}: BrowserPlaces): Promise<FoundBrowser | null> {
  if (wants === 'full') return null
  const chromium = await sparticuz()
  if (chromium === null) return null
  const executablePath = await chromium.executablePath()
  return { executablePath, kind: 'shell', from: 'sparticuz', env: sparticuzEnv(dirname(executablePath)) }
}

/** The package contains its own libraries and fonts; these variables point to its unpacked folder. */
const sparticuzEnv = (folder: string) => ({
  LD_LIBRARY_PATH: join(folder, 'al2023', 'lib'),
  FONTCONFIG_PATH: join(folder, 'fonts'),
})

/** The package is not a dependency, because it has 66 MB and only machines without another browser need it. It is
 *  searched for next to our package, and where `doctor --fix` installs it. */
async function importSparticuz(): Promise<SparticuzChromium | null> {
  const bases = [import.meta.url, join(ownBrowsersFolder(), 'package.json')]
  const path = bases.map(resolvedFrom).find(found => found !== null)
  if (!path) return null
  const { default: chromium } = (await import(pathToFileURL(path).href)) as { default: SparticuzChromium }
  return chromium
}

function resolvedFrom(base: string): string | null {
  try {
    return createRequire(base).resolve(chromiumPackage)
  } catch {
    return null
  }
}

async function firstProgram(paths: string[]): Promise<string | null> {
  for (const path of paths) if (await isProgram(path)) return path
  return null
}

const isProgram = (path: string): Promise<boolean> =>
  access(path, constants.X_OK).then(
    () => true,
    () => false,
  )
