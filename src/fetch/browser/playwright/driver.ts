// Playwright and patchright behind the pool's driver: loaded when they are needed, started with our flags, over a pipe.
import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Browser, BrowserType } from 'playwright-core'
import { Failure } from '../../../model/failures.ts'
import type { BrowserDriver, ContextOptions, LaunchedBrowser, LaunchOptions } from '../driver.ts'
import { PlaywrightContext } from './context.ts'
import { PopupGuard } from './popup-guard.ts'

/** Drives actions and recordings. */
export async function openPlaywrightDriver(): Promise<BrowserDriver> {
  const { chromium } = await imported('playwright-core', () => import('playwright-core'))
  return driverOf('playwright', chromium, [])
}

/** A driver for stealth: avoids protocol commands that pages can notice. */
export async function openPatchrightDriver(): Promise<BrowserDriver> {
  const { chromium } = await imported('patchright-core', () => import('patchright-core'))
  // Its types are a modified copy of Playwright's, which the compiler treats as different.
  return driverOf('patchright', chromium as unknown as BrowserType, [
    '--disable-blink-features=AutomationControlled',
  ])
}

async function imported<Module>(name: string, load: () => Promise<Module>): Promise<Module> {
  try {
    return await load()
  } catch (cause) {
    const message = `${name} can't be loaded, which drives actions and stealth; install it: npm install ${name}`
    throw new Failure('browser.missing', message, { package: name }, { cause })
  }
}

const driverOf = (name: 'playwright' | 'patchright', type: BrowserType, flags: string[]): BrowserDriver => ({
  name,
  launch: options => launch(name, type, { ...options, args: [...options.args, ...flags] }),
})

/** Without Playwright's default flags: launch-flags.ts has all flags of our browsers. */
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
    return launched(name, browser, await PopupGuard.open(browser))
  } catch (cause) {
    const message = `${executablePath} was not started by ${name}: ${firstLine(cause)}`
    throw new Failure('browser.not-started', message, { executablePath }, { cause })
  }
}

/** Full Chromium shows PDFs in a viewer whose page never finishes loading. For patchright, see disguise.ts. */
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

/** Playwright starts the browser as a process group leader but does not expose its pid. Both package versions are pinned. */
function pidOf(browser: Browser): number {
  const { _connection: connection } = browser as unknown as {
    _connection?: { toImpl?: (client: Browser) => Inside | undefined }
  }
  const pid = connection?.toImpl?.(browser)?.options?.browserProcess?.process?.pid
  if (pid === undefined) throw new Error('its process is not known, so it could not be ended')
  return pid
}

interface Inside {
  options?: { browserProcess?: { process?: { pid?: number } } }
}
