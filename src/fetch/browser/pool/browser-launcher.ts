// Starts browsers for the pool: finds the executable, creates the folder, chooses flags and driver.
import { tmpdir } from 'node:os'
import type { Emit } from '../../../model/events.ts'
import { cdpDriver } from '../cdp/driver.ts'
import type { BrowserDriver, LaunchedBrowser } from '../driver.ts'
import { LentBrowser } from '../lent/lent-browser.ts'
import {
  type BrowserPlaces,
  type BrowserWant,
  browserMissing,
  type FoundBrowser,
  findBrowser,
} from './find-browser.ts'
import { launchFlags } from './launch-flags.ts'
import type { BrowserSort, DriverName } from './pooled-browser.ts'
import { makeBrowserFolder, removeFolder, sweepOrphans } from './profile-folders.ts'

export interface LauncherOptions {
  places: Omit<BrowserPlaces, 'wants'>
  /** The drivers other than `cdp`, which is our own driver. Each driver is loaded on first use. */
  drivers: Partial<Record<Exclude<DriverName, 'cdp'>, () => Promise<BrowserDriver>>>
  emit: Emit
  /** Parent of the browsers' temporary folders. */
  tempFolder?: string
}

/** Longest wait in ms for the start of a browser, longer than a busy machine needs. After a timeout the start is
 *  repeated, which makes a busy machine busier. */
const launchMs = 30_000
const isRoot = process.getuid?.() === 0

export class BrowserLauncher {
  readonly #options: LauncherOptions
  readonly #tempFolder: string
  readonly #found = new Map<BrowserWant, Promise<FoundBrowser | null>>()
  #begun: Promise<void> | null = null

  constructor(options: LauncherOptions) {
    this.#options = options
    this.#tempFolder = options.tempFolder ?? tmpdir()
  }

  async launch({
    driver,
    keepsSitesApart,
    languages,
  }: BrowserSort): Promise<{ launched: LaunchedBrowser; folder: string }> {
    this.#begun ??= this.#begin()
    await this.#begun
    const found = await this.#find(driver === 'patchright' ? 'full' : 'shell')
    const folder = await makeBrowserFolder(this.#tempFolder)
    try {
      const args = launchFlags({ headless: true, isRoot, keepsSitesApart, languages })
      return { launched: await this.#launchIn(folder, driver, found, args), folder }
    } catch (error) {
      // Report the start failure, even if the folder cannot be removed yet.
      await removeFolder(folder).catch(() => {})
      throw error
    }
  }

  /** Starts a browser for one client. All its traffic goes through the proxy on this port. */
  async launchLent(
    proxyPort: number,
    keepsSitesApart: boolean,
  ): Promise<{ browser: LentBrowser; folder: string }> {
    this.#begun ??= this.#begin()
    await this.#begun
    const { executablePath, env = {} } = await this.#find('shell')
    const folder = await makeBrowserFolder(this.#tempFolder)
    const args = launchFlags({ headless: true, isRoot, keepsSitesApart })
    const options = { executablePath, env, args, profileDir: folder, timeoutMs: launchMs, proxyPort }
    try {
      return { browser: await LentBrowser.launch(options), folder }
    } catch (error) {
      await removeFolder(folder).catch(() => {})
      throw error
    }
  }

  async #launchIn(
    folder: string,
    name: DriverName,
    found: FoundBrowser,
    args: string[],
  ): Promise<LaunchedBrowser> {
    const driver = await this.#driver(name)
    return driver.launch({
      executablePath: found.executablePath,
      env: found.env ?? {},
      args,
      profileDir: folder,
      headless: true,
      timeoutMs: launchMs,
    })
  }

  async #driver(name: DriverName): Promise<BrowserDriver> {
    if (name === 'cdp') return cdpDriver
    const open = this.#options.drivers[name]
    if (open === undefined) throw new TypeError(`No driver "${name}" was given to the browser pool`)
    return open()
  }

  /** Searches again on each call until a browser is found. So a browser that is installed later is used without a
   *  restart. */
  async #find(wants: BrowserWant): Promise<FoundBrowser> {
    const search = this.#found.get(wants) ?? findBrowser({ ...this.#options.places, wants })
    this.#found.set(wants, search)
    const found = await search.catch((error: unknown) => {
      this.#found.delete(wants)
      throw error
    })
    if (found !== null) return found
    this.#found.delete(wants)
    throw browserMissing(wants)
  }

  async #begin(): Promise<void> {
    const { folders, processes } = await sweepOrphans(this.#tempFolder)
    const notice = (message: string) => this.#options.emit('notice.given', { jobId: null, message })
    if (folders > 0)
      notice(`Removed leftovers of killed processes: ${folders} browser folders, ${processes} browsers`)
    if (isRoot)
      notice(
        'The browser runs without its sandbox, because this process runs as root; run it as another user to enable the sandbox',
      )
  }
}
