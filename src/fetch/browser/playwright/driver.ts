// Implements the pool's driver interface with Playwright and patchright. The packages are loaded on first use. Browsers
// start with our flags and are controlled over a pipe.
import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Browser, BrowserType } from 'playwright-core'
import { Failure } from '../../../model/failures.ts'
import { limitOf, raced } from '../bounded.ts'
import type { BrowserDriver, ContextOptions, LaunchedBrowser, LaunchOptions } from '../driver.ts'
import { endGroup } from '../pool/processes.ts'
import { PlaywrightContext } from './context.ts'
import { PopupGuard } from './popup-guard.ts'

/** The driver for actions and recordings. */
export async function openPlaywrightDriver(): Promise<BrowserDriver> {
  const { chromium } = await imported('playwright-core', () => import('playwright-core'))
  return driverOf('playwright', chromium, [])
}

/** The driver for stealth. It avoids protocol commands that pages can detect. */
export async function openPatchrightDriver(): Promise<BrowserDriver> {
  const { chromium } = await imported('patchright-core', () => import('patchright-core'))
  // The types of patchright are a modified copy of Playwright's, so the compiler treats them as different.
  return driverOf('patchright', chromium as unknown as BrowserType, [
    '--disable-blink-features=AutomationControlled',
  ])
}

async function imported<Module>(name: string, load: () => Promise<Module>): Promise<Module> {
  try {
    return await load()
  } catch (cause) {
    const message = `${name}, which actions and stealth need, can't be loaded; install it: npm install ${name}`
    throw new Failure('browser.missing', message, { package: name }, { cause })
  }
}

const driverOf = (name: 'playwright' | 'patchright', type: BrowserType, flags: string[]): BrowserDriver => ({
  name,
  launch: options => launch(name, type, { ...options, args: [...options.args, ...flags] }),
})

/** Disables Playwright's default flags. launch-flags.ts has all flags of our browsers. */
async function launch(
  name: 'playwright' | 'patchright',
  type: BrowserType,
  { executablePath, env, args, profileDir, headless, timeoutMs }: LaunchOptions,
): Promise<LaunchedBrowser> {
  const own = ['--remote-debugging-pipe', `--user-data-dir=${profileDir}`, '--no-startup-window']
  try {
    if (name === 'playwright') await downloadPdfs(profileDir)
    const browser = await type.launch({
      executablePath,
      ignoreDefaultArgs: true,
      args: [...args.filter(flag => !own.includes(flag)), ...own],
      headless,
      env: { PATH: '/usr/local/bin:/usr/bin:/bin', LANG: 'en_US.UTF-8', HOME: profileDir, ...env },
      timeout: timeoutMs,
      artifactsDir: profileDir,
      handleSIGINT: false,
      handleSIGTERM: false,
      handleSIGHUP: false,
    })
    return launched(name, browser, await guarded(browser, timeoutMs))
  } catch (cause) {
    const message = `${executablePath} was not started by ${name}: ${firstLine(cause)}`
    throw new Failure('browser.not-started', message, { executablePath }, { cause })
  }
}

/** Kills a browser that starts but does not respond, because the pool does not know its process yet. */
async function guarded(browser: Browser, timeoutMs: number): Promise<PopupGuard> {
  using limit = limitOf(timeoutMs, new Error(`it did not respond within ${timeoutMs} ms`))
  try {
    return await raced(PopupGuard.open(browser), limit.signal)
  } catch (error) {
    await endGroup(pidOf(browser))
    throw error
  }
}

/** Makes PDFs downloads, because full Chromium shows them in a viewer whose page never finishes loading. For
 *  patchright, disguise.ts does this. */
async function downloadPdfs(profileDir: string): Promise<void> {
  await mkdir(join(profileDir, 'Default'), { recursive: true })
  const preferences = { plugins: { always_open_pdf_externally: true } }
  await writeFile(join(profileDir, 'Default', 'Preferences'), JSON.stringify(preferences))
}

const firstLine = (error: unknown): string => String((error as Error).message).split('\n', 1)[0]!

function launched(name: 'playwright' | 'patchright', browser: Browser, popups: PopupGuard): LaunchedBrowser {
  const gone = new Promise<void>(resolve => browser.once('disconnected', () => resolve()))
  return {
    pid: pidOf(browser),
    version: browser.version(),
    gone,
    openContext: (options: ContextOptions) =>
      PlaywrightContext.open({ browser, popups, options, isHidden: name === 'patchright' }),
    close: () => browser.close(),
  }
}

/** The pid of the browser, from internals of the package. Playwright starts the browser as a process group leader but
 *  does not expose its pid. The versions of both packages are pinned. */
function pidOf(browser: Browser): number {
  const { _connection: connection } = browser as unknown as {
    _connection?: { toImpl?: (client: Browser) => Inside | undefined }
  }
  const pid = connection?.toImpl?.(browser)?.options?.browserProcess?.process?.pid
  if (pid === undefined)
    throw new Error('the pid of the browser is not available, so the browser could not be killed later')
  return pid
}

interface Inside {
  options?: { browserProcess?: { process?: { pid?: number } } }
}
