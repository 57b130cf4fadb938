// Browsers that clients control themselves. Each is one process, takes a slot of the pool, and is removed when the
// client disconnects.
import type { BrowserCounts } from '../../../model/events.ts'
import { Failure } from '../../../model/failures.ts'
import type { Identity, StorageState } from '../../../model/policy/rendering.ts'
import { limitWithin, raced, within } from '../bounded.ts'
import type { EgressProxy } from '../egress/egress-proxy.ts'
import { endGroup, groupMemoryBytes, killGroup } from '../pool/processes.ts'
import { removeFolder } from '../pool/profile-folders.ts'
import type { Slots } from '../pool/slots.ts'
import type { LentBrowser, LentClient, LentRules } from './lent-browser.ts'

export interface LendRequest {
  rules: LentRules
  client: LentClient
  identityFor: (version: string) => Promise<Identity>
  state: StorageState | null
  /** Enables Chromium's site isolation. Used for browsers with a saved login. */
  keepsSitesApart: boolean
  openProxy: () => Promise<EgressProxy>
}

export interface LentBrowsersParts {
  slots: Slots
  launch: (proxyPort: number, keepsSitesApart: boolean) => Promise<{ browser: LentBrowser; folder: string }>
  acquireMs: number
  /** A browser that uses more memory is killed. */
  maxMemoryBytes: number
}

export interface LentSeat {
  readonly browser: LentBrowser
  readonly proxy: EgressProxy
  /** Temporary folder of the browser. It is removed together with the browser. */
  readonly folder: string
  /** Resolves with the reason if the browser ends before `release`. */
  readonly lost: Promise<Failure>
  /** Resolves when the process, its folder and its proxy are gone and the slot is free. */
  release(): Promise<void>
}

interface Lent {
  browser: LentBrowser
  startedAt: number
  memoryBytes: number | null
  killedBecause: Failure | null
}

const beginMs = 15_000
const closeMs = 2_000

export class LentBrowsers implements AsyncDisposable {
  readonly #parts: LentBrowsersParts
  readonly #lent = new Set<Lent>()
  readonly #ending = new Set<Promise<void>>()

  constructor(parts: LentBrowsersParts) {
    this.#parts = parts
  }

  async lend(request: LendRequest, signal: AbortSignal): Promise<LentSeat> {
    const { slots, acquireMs } = this.#parts
    await using undo = new AsyncDisposableStack()
    const giveBack = await slots.take(acquireMs, signal)
    undo.defer(giveBack)
    const proxy = undo.use(await request.openProxy())
    const { browser, folder } = await this.#parts.launch(proxy.port, request.keepsSitesApart)
    const lent: Lent = { browser, startedAt: Date.now(), memoryBytes: null, killedBecause: null }
    this.#lent.add(lent)
    undo.defer(() => this.#end(lent, folder))
    const identity = await request.identityFor(browser.version)
    const { rules, client, state } = request
    // This limit starts after the launch, which has its own limit.
    using limit = limitWithin(signal, beginMs, notReady())
    await raced(browser.begin(rules, client, { identity, state }), limit.signal)
    const held = undo.move()
    let released: Promise<void> | null = null
    return {
      ...{ browser, proxy, folder },
      lost: browser.gone.then(() => lent.killedBecause ?? crashed()),
      release: () => {
        released ??= held.disposeAsync()
        return released
      },
    }
  }

  async #end(lent: Lent, folder: string): Promise<void> {
    const { browser } = lent
    const ended = (async () => {
      await within(closeMs, browser.close())
      await Promise.all([endGroup(browser.pid), browser.gone])
      this.#lent.delete(lent)
      await removeFolder(folder)
    })()
    this.#ending.add(ended)
    await ended.finally(() => this.#ending.delete(ended))
  }

  get counts(): BrowserCounts[] {
    return [...this.#lent].map(({ browser, startedAt, memoryBytes }) => ({
      ...{ driver: 'client', phase: 'serving', startedAt, memoryBytes, inUse: 1 },
      ...{ pages: browser.pagesOpened, pid: browser.pid },
    }))
  }

  /** Kills browsers that use too much memory. Called periodically, because memory can grow without a command of the
   *  client. */
  look(): void {
    const { maxMemoryBytes } = this.#parts
    for (const lent of this.#lent) {
      lent.memoryBytes = groupMemoryBytes(lent.browser.pid)
      if ((lent.memoryBytes ?? 0) <= maxMemoryBytes) continue
      lent.killedBecause ??= tooMuchMemory(lent.memoryBytes!, maxMemoryBytes)
      killGroup(lent.browser.pid)
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const { browser } of this.#lent) killGroup(browser.pid)
    await Promise.allSettled(this.#ending)
  }
}

const notReady = () =>
  new Failure('browser.not-started', `The browser was not ready for its client after ${beginMs} ms`)

const tooMuchMemory = (bytes: number, most: number) =>
  new Failure(
    'browser.crashed',
    `The browser used ${bytes} bytes of memory; the limit is ${most} (SCRAPER_BROWSER_MAX_MEMORY); open fewer pages at a time`,
    { scope: 'browser' },
  )

const crashed = () => new Failure('browser.crashed', 'The browser ended', { scope: 'browser' })
