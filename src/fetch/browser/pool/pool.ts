// The pool of browsers and contexts. It lends seats: one seat is one page for one job and session.
import { Failure } from '../../../model/failures.ts'
import type { Identity, StorageState } from '../../../model/policy/rendering.ts'
import { limitOf, raced } from '../bounded.ts'
import type { PoolStats } from '../browser-fetch.ts'
import type { LaunchedBrowser } from '../driver.ts'
import type { EgressProxy } from '../egress/egress-proxy.ts'
import {
  type LendRequest,
  LentBrowsers,
  type LentBrowsersParts,
  type LentSeat,
} from '../lent/lent-browsers.ts'
import { type BrowserSort, PooledBrowser } from './pooled-browser.ts'
import { PooledContext } from './pooled-context.ts'
import { makeDownloadsFolder } from './profile-folders.ts'
import type { RetirementLimits } from './retirement.ts'
import { Slots } from './slots.ts'

export interface PoolOptions {
  /** Number of seats, which is the number of pages that can be open at the same time. */
  size: number
  contextsPerBrowser: number
  limits: RetirementLimits
  /** Longest wait for a free seat. */
  acquireMs: number
  /** Idle browsers and contexts are closed after this time. */
  idleMs: number
  /** How often memory and idle time are checked. */
  watchMs: number
  launch: (sort: BrowserSort) => Promise<{ launched: LaunchedBrowser; folder: string }>
  /** Starts a browser that a client controls. Without it, `lend` is not available. */
  launchLent?: LentBrowsersParts['launch']
  /** Called when a browser is retired, with the reason. */
  retired?: (reason: string) => void
}

export interface SeatRequest extends BrowserSort {
  jobId: string
  /** Name of the session. Two sessions never share a context. */
  session: string
  isolation: 'task' | 'session'
  identityFor: (version: string) => Promise<Identity>
  state: StorageState | null
  maxDownloadBytes: number
  openProxy: () => Promise<EgressProxy>
}

export interface Seat {
  readonly context: PooledContext
  /** Clears the state of the page and resolves when the seat is free. `isBroken` closes the page instead of clearing
   *  it. `isLast` closes the context, because its job needs no more pages. */
  release(options: { isBroken: boolean; isLast?: boolean }): Promise<void>
  /** Reports how long a navigation took. The pool retires browsers that have become slow. */
  took(navigationMs: number): void
  /** The failure if this seat's browser was killed because it hung; null otherwise. */
  hungBecause(): Failure | null
}

type Browser = PooledBrowser<PooledContext>

/** Longest wait in ms for a new context, longer than a busy machine needs. After a timeout the page is loaded again,
 *  which makes a busy machine busier. */
const openContextMs = 15_000

export class BrowserPool implements AsyncDisposable {
  readonly #options: PoolOptions
  readonly #slots: Slots
  readonly #browsers = new Set<Browser>()
  readonly #launching = new Map<string, Promise<Browser>>()
  /** State of sessions whose browser was retired. The next context of the session gets it. */
  readonly #carried = new Map<string, StorageState[]>()
  readonly #ending = new Set<Promise<void>>()
  readonly #watch: NodeJS.Timeout
  readonly #lent: LentBrowsers
  #pages = 0
  #recycled = 0
  #isClosed = false

  constructor(options: PoolOptions) {
    this.#options = options
    this.#slots = new Slots(options.size)
    this.#lent = new LentBrowsers({
      ...{ slots: this.#slots, acquireMs: options.acquireMs },
      launch: options.launchLent ?? (() => Promise.reject(stopping())),
      maxMemoryBytes: options.limits.memoryBytes,
    })
    this.#watch = setInterval(() => this.#look(), options.watchMs).unref()
  }

  stats(): PoolStats {
    const { size, inUse } = this.#slots
    return {
      total: size,
      available: size - inUse,
      in_use: inUse,
      pages_processed: this.#pages,
      recycled_count: this.#recycled,
      browsers: [...[...this.#browsers].map(browser => browser.counts()), ...this.#lent.counts],
    }
  }

  /** Pids of the browsers. Each is the leader of a process group. */
  pids(): number[] {
    return [
      ...[...this.#browsers].map(({ launched }) => launched.pid),
      ...this.#lent.counts.map(({ pid }) => pid),
    ]
  }

  /** Starts a separate browser for a client that controls it. It takes one seat. */
  async lend(request: LendRequest, signal: AbortSignal): Promise<LentSeat> {
    if (this.#isClosed) throw stopping()
    return this.#lent.lend(request, signal)
  }

  async acquire(request: SeatRequest, signal: AbortSignal): Promise<Seat> {
    if (this.#isClosed) throw stopping()
    const giveBack = await this.#slots.take(this.#options.acquireMs, signal)
    try {
      return await this.#seat(request, giveBack, signal)
    } catch (error) {
      giveBack()
      throw error
    }
  }

  /** Has no timeout of its own, because the start of a browser and the opening of a context have timeouts. With a
   *  shorter timeout here, all pages that wait for a slow start would fail although the browser starts. */
  async #seat(request: SeatRequest, giveBack: () => void, signal: AbortSignal): Promise<Seat> {
    const opened = this.#contextFor(request)
    try {
      const context = await raced(opened, signal)
      context.browser.pages++
      return this.#seatOn(context, request, giveBack)
    } catch (error) {
      // If the context opens too late, close it: the requester no longer waits for it.
      opened.then(
        context => this.#put(context, request, true),
        () => {},
      )
      throw error
    }
  }

  #seatOn(context: PooledContext, request: SeatRequest, giveBack: () => void): Seat {
    let released: Promise<void> | null = null
    return {
      context,
      release: ({ isBroken, isLast = false }) => {
        released ??= (isLast ? this.#drop(context) : this.#put(context, request, isBroken)).finally(giveBack)
        return released
      },
      took: ms => context.browser.navigations.add(ms),
      hungBecause: () => context.browser.hungBecause,
    }
  }

  async #contextFor(request: SeatRequest): Promise<PooledContext> {
    const idle = this.#idleContexts().find(context => context.key === keyOf(request))
    if (idle === undefined || request.isolation === 'task') return this.#openContext(request)
    idle.isInUse = true
    idle.browser.usedAt = performance.now()
    return idle
  }

  async #openContext(request: SeatRequest): Promise<PooledContext> {
    const browser = await this.#browserWithRoom(request)
    browser.opening++
    try {
      return await this.#openIn(browser, request)
    } catch (error) {
      // If this was the only use of the browser, the browser itself is broken.
      if (browser.inUse === 1) this.#retire(browser, 'does not open contexts')
      throw error
    } finally {
      browser.opening--
    }
  }

  async #openIn(browser: Browser, request: SeatRequest): Promise<PooledContext> {
    const { launched } = browser
    const state = this.#carried.get(keyOf(request))?.pop() ?? request.state
    const [proxy, downloadsDir] = await Promise.all([
      request.openProxy(),
      makeDownloadsFolder(browser.folder),
    ])
    const { maxDownloadBytes, keepsSitesApart } = request
    const identity = await request.identityFor(launched.version)
    const options = {
      ...{ proxyPort: proxy.port, identity, state, downloadsDir, maxDownloadBytes, keepsSitesApart },
    }
    using limit = limitOf(openContextMs, noContext())
    const opening = launched.openContext(options)
    try {
      const driven = await raced(opening, limit.signal)
      const context = new PooledContext({
        browser,
        key: keyOf(request),
        jobId: request.jobId,
        driven,
        proxy,
        downloadsDir,
      })
      browser.contexts.add(context)
      return context
    } catch (error) {
      // If the context opens too late, close it, because the pool does not know it.
      opening.then(driven => driven.close()).catch(() => {})
      await proxy[Symbol.asyncDispose]()
      throw error
    }
  }

  /** Chooses the browser with the fewest contexts in use. If that browser has `contextsPerBrowser` contexts in use,
   *  starts another browser. If the browser is full but has idle contexts, closes the oldest of them. */
  async #browserWithRoom(request: BrowserSort): Promise<Browser> {
    const most = this.#options.contextsPerBrowser
    const serving = [...this.#browsers].filter(
      browser => sortKey(browser) === sortKey(request) && browser.phase === 'serving',
    )
    const [emptiest] = serving.sort((a, b) => a.inUse - b.inUse)
    if (emptiest === undefined || emptiest.inUse >= most) return this.#launch(request)
    emptiest.usedAt = performance.now()
    const idle = [...emptiest.contexts].filter(context => !context.isInUse)
    const [oldest] = idle.sort((a, b) => a.idleSince - b.idleSince)
    if (emptiest.room >= most && oldest !== undefined) this.#end(this.#closeIdle(oldest))
    return emptiest
  }

  async #closeIdle(context: PooledContext): Promise<void> {
    context.isInUse = true
    await context.close()
  }

  /** Concurrent requests share one start of a browser. */
  #launch(sort: BrowserSort): Promise<Browser> {
    const key = sortKey(sort)
    const running = this.#launching.get(key) ?? this.#start(sort)
    this.#launching.set(key, running)
    const done = () => void (this.#launching.get(key) === running && this.#launching.delete(key))
    running.then(done, done)
    return running
  }

  async #start({ driver, keepsSitesApart, languages }: BrowserSort): Promise<Browser> {
    const sort = { driver, keepsSitesApart, languages }
    const { launched, folder } = await this.#options.launch(sort)
    const browser = new PooledBrowser<PooledContext>({ ...sort, launched, folder })
    this.#browsers.add(browser)
    launched.gone.then(() => this.#gone(browser))
    if (this.#isClosed) await this.#retire(browser, 'closed')
    return browser
  }

  /** Called when a browser ended or was killed. The next request starts another. */
  #gone(browser: Browser): void {
    if (!this.#browsers.delete(browser)) return
    if (browser.phase === 'serving') this.#recycled++
    this.#options.retired?.(browser.hungBecause === null ? 'gone' : 'hung')
    this.#end(browser.end())
  }

  /** Takes a seat back: prepares its context for reuse, or closes it. */
  async #put(context: PooledContext, request: SeatRequest, isBroken: boolean): Promise<void> {
    const { browser } = context
    this.#pages++
    browser.usedAt = performance.now()
    if (
      request.isolation === 'session' &&
      browser.phase === 'serving' &&
      (await context.makeBlank(isBroken))
    ) {
      context.isInUse = false
      context.idleSince = performance.now()
    } else await this.#closeUsed(context, request)
    this.#judge(browser)
  }

  async #drop(context: PooledContext): Promise<void> {
    const { browser } = context
    this.#pages++
    browser.usedAt = performance.now()
    await this.#closeAndEnd(context)
    this.#judge(browser)
  }

  async #closeUsed(context: PooledContext, request: SeatRequest): Promise<void> {
    if (request.isolation === 'session' && context.browser.phase === 'retiring') await this.#carry(context)
    await this.#closeAndEnd(context)
  }

  async #closeAndEnd(context: PooledContext): Promise<void> {
    await context.close()
    if (context.browser.phase === 'retiring' && context.browser.room === 0) this.#endBrowser(context.browser)
  }

  async #carry(context: PooledContext): Promise<void> {
    const state = await context.carry()
    if (state !== null) this.#carried.set(context.key, [...(this.#carried.get(context.key) ?? []), state])
  }

  /** Retires a browser that has reached a limit. Its replacement starts first, so that no request waits for the start. */
  #judge(browser: Browser): void {
    if (browser.phase !== 'serving' || browser.isBeingReplaced || this.#isClosed) return
    const reason = browser.dueBecause(this.#options.limits)
    if (reason === null) return
    browser.isBeingReplaced = true
    this.#end(this.#replace(browser, reason))
  }

  async #replace(browser: Browser, reason: string): Promise<void> {
    try {
      await this.#launch(browser)
      await this.#retire(browser, reason)
    } catch {
      // If the replacement does not start, the browser stays in use. The next page tries again.
      browser.isBeingReplaced = false
    }
  }

  async #retire(browser: Browser, reason: string): Promise<void> {
    if (browser.phase !== 'serving') return
    browser.phase = 'retiring'
    this.#recycled++
    this.#options.retired?.(reason)
    const idle = [...browser.contexts].filter(context => !context.isInUse)
    for (const context of idle) context.isInUse = true
    await Promise.all(idle.map(context => this.#carry(context)))
    await Promise.all(idle.map(context => context.close()))
    if (browser.room === 0) this.#endBrowser(browser)
  }

  #endBrowser(browser: Browser): void {
    if (this.#browsers.delete(browser)) this.#end(browser.end())
  }

  /** Checks memory and idle time. Called periodically, because both change without any call. */
  #look(): void {
    const now = performance.now()
    const { idleMs, limits } = this.#options
    for (const context of this.#idleContexts())
      if (now - context.idleSince > idleMs) this.#end(this.#closeIdle(context))
    for (const browser of this.#browsers) {
      if (browser.room === 0 && now - browser.usedAt > idleMs) this.#endBrowser(browser)
      else if (browser.measureMemory() > 2 * limits.memoryBytes) browser.kill()
      else this.#judge(browser)
    }
    this.#lent.look()
  }

  #idleContexts(): PooledContext[] {
    const serving = [...this.#browsers].filter(({ phase }) => phase === 'serving')
    return serving.flatMap(({ contexts }) => [...contexts].filter(context => !context.isInUse))
  }

  async closeJob(jobId: string): Promise<void> {
    for (const key of this.#carried.keys()) if (isOfJob(key, jobId)) this.#carried.delete(key)
    const idle = this.#idleContexts().filter(context => context.jobId === jobId)
    await Promise.all(idle.map(context => this.#closeIdle(context)))
  }

  /** Registers background work, so that `close` can wait for it. */
  #end(work: Promise<void>): void {
    const settled = work.catch(() => {})
    this.#ending.add(settled)
    settled.then(() => this.#ending.delete(settled))
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#isClosed = true
    clearInterval(this.#watch)
    await Promise.allSettled([...this.#launching.values(), this.#lent[Symbol.asyncDispose]()])
    for (const browser of this.#browsers) this.#endBrowser(browser)
    while (this.#ending.size > 0) await Promise.all(this.#ending)
  }
}

const sortKey = ({ driver, keepsSitesApart, languages }: BrowserSort): string =>
  `${driver} ${keepsSitesApart} ${languages.join(',')}`

const keyOf = ({ jobId, session, ...sort }: SeatRequest): string =>
  JSON.stringify([jobId, sortKey(sort), session])

const isOfJob = (key: string, jobId: string): boolean => (JSON.parse(key) as string[])[0] === jobId

const stopping = () => new Failure('worker.stopping', 'The browsers are being closed')

const noContext = () =>
  new Failure('browser.crashed', `The browser opened no context within ${openContextMs} ms`, {
    scope: 'browser',
  })
