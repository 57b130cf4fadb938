// Controls Chromium over a pipe. The default driver, for plain rendering without actions.
import { Failure } from '../../../model/failures.ts'
import { limitOf, raced } from '../bounded.ts'
import type {
  BrowserDriver,
  ContextOptions,
  DrivenContext,
  LaunchedBrowser,
  LaunchOptions,
} from '../driver.ts'
import { endGroup } from '../pool/processes.ts'
import { connectTo } from './connect.ts'
import type { Connection } from './connection.ts'
import { CdpContext } from './context.ts'
import { crashed } from './page-watch.ts'
import { type BrowserProcess, startProcess } from './process.ts'

export const cdpDriver: BrowserDriver = { name: 'cdp', launch }

async function launch(options: LaunchOptions): Promise<LaunchedBrowser> {
  const process = await startProcess({ ...options, args: [...options.args, '--block-new-web-contents'] })
  const browser = new CdpBrowser(process)
  using limit = limitOf(options.timeoutMs, notStarted(options, process))
  try {
    await raced(browser.begin(), limit.signal)
    return browser
  } catch (cause) {
    await endGroup(process.pid)
    throw cause instanceof Failure && cause.code === 'browser.not-started'
      ? cause
      : notStarted(options, process, cause)
  }
}

export function notStarted(
  { executablePath }: Pick<LaunchOptions, 'executablePath'>,
  { complaints }: BrowserProcess,
  cause?: unknown,
): Failure {
  const said = complaints()
  const message = `The browser ${executablePath} did not start${said === '' ? '' : `: ${said}`}`
  return new Failure('browser.not-started', message, { executablePath }, { cause })
}

class CdpBrowser implements LaunchedBrowser {
  readonly #process: BrowserProcess
  readonly #connection: Connection
  readonly #contexts = new Set<CdpContext>()
  readonly gone: Promise<void>
  version = ''

  constructor(process: BrowserProcess) {
    this.#process = process
    const { connection, gone } = connectTo(process)
    this.#connection = connection
    this.gone = gone.then(failure => {
      for (const context of this.#contexts) context.gone(failure)
    })
  }

  get pid(): number {
    return this.#process.pid
  }

  async begin(): Promise<void> {
    const { browser } = this.#connection
    browser.on('Target.targetCreated', ({ targetInfo }) => {
      // Close pop-ups, because only the main tab is read.
      if (targetInfo.openerId !== undefined) this.#closeTarget(targetInfo.targetId)
    })
    browser.on('Target.targetCrashed', ({ targetId }) => {
      for (const context of this.#contexts) context.targetCrashed(targetId, crashed())
    })
    const { product } = await browser.send('Browser.getVersion')
    this.version = product.slice(product.indexOf('/') + 1)
    await browser.send('Target.setDiscoverTargets', { discover: true, filter: [{ type: 'page' }] })
  }

  async openContext(options: ContextOptions): Promise<DrivenContext> {
    const { browserContextId } = await this.#connection.browser.send('Target.createBrowserContext', {
      disposeOnDetach: true,
      proxyServer: `http://127.0.0.1:${options.proxyPort}`,
      // Send loopback requests through the proxy too. Chromium bypasses it by default.
      proxyBypassList: '<-loopback>',
    })
    const context = new CdpContext({ connection: this.#connection, browserContextId, options })
    this.#contexts.add(context)
    context.closed.then(() => this.#contexts.delete(context))
    await context.prepare()
    return context
  }

  async close(): Promise<void> {
    await this.#connection.browser.send('Browser.close').catch(() => {})
    await this.gone
  }

  #closeTarget(targetId: string): void {
    this.#connection.browser.send('Target.closeTarget', { targetId }).catch(() => {})
  }
}
