// Opens one page for a task: gets a seat, loads the page within the deadline, and always returns the seat.
import { Failure } from '../../model/failures.ts'
import type { Identity, LivePage, StorageState } from '../../model/policy/rendering.ts'
import type { ProxyAddress } from '../proxies/endpoint.ts'
import { limitWithin } from './bounded.ts'
import type { BeforeTarget, IdentityRequest, RenderedPage, RenderRequest } from './browser-fetch.ts'
import { CommandError } from './cdp/connection.ts'
import type { DrivenContext, LoadedPage, LoadRequest } from './driver.ts'
import { type EgressProxy, failureHeader } from './egress/egress-proxy.ts'
import { languagesIn } from './identity/identity-regions.ts'
import type { BrowserPool, Seat, SeatRequest } from './pool/pool.ts'
import type { BrowserSort, DriverName } from './pool/pooled-browser.ts'
import { renderedPage } from './rendered-page.ts'
import type { SeatBoard } from './seats/seat-board.ts'

interface PageOpenerParts {
  pool: BrowserPool
  seats: SeatBoard
  identityFor: (jobId: string, request: IdentityRequest) => Promise<Identity>
  openProxy: (before: BeforeTarget, onwards?: ProxyAddress) => Promise<EgressProxy>
  /** Called after each loaded page. */
  worked: () => void
}

const evidenceMs = 1_000

/** Maps the egress proxy of a context to the callback that must permit each request. The task that uses the seat sets
 *  the callback. */
const askers = new WeakMap<EgressProxy, BeforeTarget>()

export class PageOpener {
  readonly #parts: PageOpenerParts

  constructor(parts: PageOpenerParts) {
    this.#parts = parts
  }

  /** If the browser crashed and the page was not the cause, retries once within the same deadline. */
  async open(request: RenderRequest, signal: AbortSignal): Promise<RenderedPage> {
    const deadline = new Deadline(request)
    try {
      return await this.#visit(request, deadline, signal)
    } catch (error) {
      if (!isNeighboursFault(error) || deadline.isOver()) throw error
      return this.#visit(request, deadline, signal)
    }
  }

  async #visit(request: RenderRequest, deadline: Deadline, signal: AbortSignal): Promise<RenderedPage> {
    const seat = await this.#parts.pool.acquire(this.#seatRequest(request), signal)
    const limit = deadline.begin(signal)
    const leave = this.#show(seat, request)
    try {
      const startedAt = Date.now()
      const loaded = await this.#load(seat, request, limit.signal)
      this.#parts.worked()
      seat.took(loaded.endedAt - loaded.sentAt)
      const held = { isOpen: true }
      const page = await renderedPage({ ...loaded, live: whileOpen(loaded.live, held) }, request, startedAt)
      return this.#opened(seat, request, page, { limit, leave }, held, signal)
    } catch (error) {
      limit[Symbol.dispose]()
      leave()
      throw await this.#failed(seat, request, error, signal.aborted)
    }
  }

  /** Adds the seat to the board while the page is open. Returns the function that removes it. */
  #show({ context }: Seat, { jobId, url, seen }: RenderRequest): () => void {
    if (!seen) return () => {}
    const { driven } = context
    const shown = () => driven.shown?.() ?? null
    return this.#parts.seats.add({
      ...{ kind: 'task', jobId, ...seen },
      url: () => shown()?.url || url,
      page: async () => shown()?.send ?? null,
      console: () => shown()?.console ?? [],
      state: () => driven.state(),
    })
  }

  async #load(seat: Seat, request: RenderRequest, signal: AbortSignal): Promise<LoadedPage> {
    const { driven, proxy } = seat.context
    askers.set(proxy, request.before)
    proxy.beginTask(URL.parse(request.url)?.hostname ?? null)
    try {
      const cookies = newTo(driven, request.cookies ?? [])
      const loaded = await driven.load(
        { ...loadRequest(request), ...(cookies.length > 0 && { cookies }) },
        signal,
      )
      const refused = loaded.headers.some(([name]) => name === failureHeader)
      if (refused)
        throw proxy.failureOf(loaded.finalUrl) ?? proxy.failures.at(-1)?.failure ?? unexplained(request)
      return loaded
    } catch (error) {
      throw ofProxy(error, proxy, request) ?? ofCommand(error, request) ?? error
    }
  }

  #opened(
    seat: Seat,
    request: RenderRequest,
    page: RenderedPage['page'],
    { limit, leave }: { limit: Disposable & { signal: AbortSignal }; leave: () => void },
    held: { isOpen: boolean },
    signal: AbortSignal,
  ): RenderedPage {
    const { driven, proxy } = seat.context
    const release = async (isBroken: boolean, isLast = false) => {
      held.isOpen = false
      leave()
      limit[Symbol.dispose]()
      askers.delete(proxy)
      await seat.release({ isBroken, isLast })
    }
    // At the deadline of the task, close the page.
    const cutOff = () => void release(true, signal.aborted)
    limit.signal.addEventListener('abort', cutOff, { once: true })
    return {
      page,
      live: page.rendered!.live!,
      evidence: () => driven.evidence(request.policy.keepOnFailure, evidenceMs),
      state: async () => {
        const state = await driven.state()
        noteCookies(driven, state.cookies)
        return state
      },
      release: () => release(false),
    }
  }

  /** Collects evidence while the page exists, then returns the seat, then reports the failure. */
  async #failed(seat: Seat, request: RenderRequest, error: unknown, isUnwanted: boolean): Promise<unknown> {
    const { driven, proxy } = seat.context
    // If the task was cancelled, collect no evidence.
    const kinds = isUnwanted ? [] : request.policy.keepOnFailure
    // Missing evidence must not replace the failure.
    const artifacts = kinds.length > 0 ? await driven.evidence(kinds, evidenceMs).catch(() => []) : []
    askers.delete(proxy)
    await seat.release({ isBroken: true, isLast: isUnwanted })
    request.onFailure?.(artifacts)
    return seat.hungBecause() ?? error
  }

  #seatRequest(request: RenderRequest): SeatRequest {
    const { session, browser, userAgent, jobId, policy, maxBytes, state, proxy, region = null } = request
    const { mobile } = request.rendering
    // The identity and the driver are independent: a plain browser can have a stealth identity.
    const kind = request.asBrowser ? 'stealth' : browser
    return {
      jobId,
      session: JSON.stringify([session, mobile, ...(proxy ? [proxy.id] : [])]),
      ...browserFor(request),
      isolation: policy.isolation,
      identityFor: version =>
        this.#parts.identityFor(jobId, { session, browser: kind, userAgent, mobile, region, version }),
      state,
      maxDownloadBytes: maxBytes,
      openProxy: () => this.#openProxy(proxy),
    }
  }

  async #openProxy(onwards: ProxyAddress | undefined): Promise<EgressProxy> {
    const proxy: EgressProxy = await this.#parts.openProxy((target, signal) => {
      const ask = askers.get(proxy)
      // Between two tasks no callback is set. Late requests of the old page are refused then.
      return ask === undefined ? Promise.reject(leftOver()) : ask(target, signal)
    }, onwards)
    return proxy
  }
}

type Cookies = StorageState['cookies']

/** The last known cookie values of each context, by the cookie's name, domain and path. */
const cookiesOf = new WeakMap<DrivenContext, Map<string, string>>()

const cookieName = ({ name, domain, path }: Cookies[number]): string => `${name} ${domain} ${path}`

function noteCookies(driven: DrivenContext, cookies: Cookies): void {
  const known = cookiesOf.get(driven) ?? new Map<string, string>()
  cookiesOf.set(driven, known)
  for (const cookie of cookies) known.set(cookieName(cookie), cookie.value)
}

/** Cookies that are new to the context, or have a new value. Unchanged cookies are left out, because the page may have
 *  set newer values. */
function newTo(driven: DrivenContext, cookies: Cookies): Cookies {
  const known = cookiesOf.get(driven)
  const changed = cookies.filter(cookie => known?.get(cookieName(cookie)) !== cookie.value)
  noteCookies(driven, changed)
  return changed
}

/** After the release, the tab belongs to another task. This wrapper rejects calls through an old reference. */
function whileOpen(live: LivePage, held: { isOpen: boolean }): LivePage {
  const only = <Value>(work: () => Promise<Value>): Promise<Value> =>
    held.isOpen ? work() : Promise.reject(leftOver())
  return {
    waitFor: (selector, timeoutMs) => only(() => live.waitFor(selector, timeoutMs)),
    scroll: options => only(() => live.scroll(options)),
    html: () => only(() => live.html()),
  }
}

/** The time limit of one task. It starts with the first seat and includes the retry. */
class Deadline {
  readonly #request: RenderRequest
  #endsAt: number | null = null

  constructor(request: RenderRequest) {
    this.#request = request
  }

  isOver(): boolean {
    return this.#endsAt !== null && performance.now() >= this.#endsAt
  }

  begin(signal: AbortSignal): Disposable & { signal: AbortSignal } {
    this.#endsAt ??= performance.now() + this.#request.policy.taskMs
    const { seen } = this.#request
    const leftMs = Math.max(0, this.#endsAt - performance.now())
    return limitWithin(signal, leftMs, tooLate(this.#request), () => seen?.control.pausedMs ?? 0)
  }
}

/** Chooses the browser. A stealth browser gets the languages of its region by a launch flag, not by emulation. */
function browserFor(request: RenderRequest): BrowserSort {
  const driver = driverFor(request)
  const { keepsSitesApart = false, region = null } = request
  return { driver, keepsSitesApart, languages: driver === 'patchright' ? languagesIn(region) : [] }
}

function driverFor({ browser, act, policy }: RenderRequest): DriverName {
  if (browser === 'stealth') return 'patchright'
  return act !== undefined || policy.keepOnFailure.includes('trace') ? 'playwright' : 'cdp'
}

function loadRequest(request: RenderRequest): LoadRequest {
  const { url, headers, beforeDocument, policy, rendering, maxBytes, archive, act, required } = request
  const limits = { navigationMs: policy.navigationMs, settleMs: rendering.settleMs ?? policy.settleMs }
  const trace = policy.keepOnFailure.includes('trace')
  return {
    ...{ url, headers, beforeDocument, ...limits, rendering, maxBytes, archive, trace },
    ...(act && { act }),
    ...(required && { required }),
  }
}

/** The failure that the proxy recorded. Chromium reports only that the proxy did not connect. */
function ofProxy(error: unknown, proxy: EgressProxy, { url }: RenderRequest): Failure | null {
  const isConnecting =
    error instanceof Failure &&
    ['connect.failed', 'navigation.failed', 'connection.lost'].includes(error.code)
  if (!isConnecting) return null
  // After a redirect, the failed tunnel may be to another host than that of the URL.
  const isElsewhere = /TUNNEL/.test(String(error.details.error))
  const last = isElsewhere ? proxy.failures.findLast(({ target }) => target?.kind === 'tunnel') : undefined
  return proxy.failureOf(url) ?? last?.failure ?? null
}

/** The failure of a rejected command. The command fails, for example, if the page leaves the document at this moment. A
 *  retry usually succeeds. */
function ofCommand(error: unknown, { url }: RenderRequest): Failure | null {
  if (!(error instanceof CommandError)) return null
  const message = `The browser rejected a command while it loaded ${url}: ${error.message}`
  return new Failure('browser.crashed', message, { url, command: error.method }, { cause: error })
}

const isNeighboursFault = (error: unknown): boolean =>
  error instanceof Failure && error.code === 'browser.crashed' && error.details.scope === 'browser'

const tooLate = ({ url, policy }: RenderRequest) =>
  new Failure(
    'task.deadline',
    `${url} took longer than ${policy.taskMs} ms; raise task_ms in the browser policy`,
    {
      url,
      taskMs: policy.taskMs,
    },
  )

const leftOver = () => new Failure('job.cancelled', 'The task of this page has already ended')

const unexplained = ({ url }: RenderRequest) =>
  new Failure('navigation.failed', `${url} was refused by the egress gate`, { url })
