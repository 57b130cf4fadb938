// Entry point of browser rendering, used by the browser lane.
import type { Emit } from '../../model/events.ts'
import type { Identity } from '../../model/policy/rendering.ts'
import type { EgressGate } from '../http/gate.ts'
import type { ProxyDialer } from '../proxies/dial.ts'
import type { BrowserFetch, IdentityFor, IdentityRequest, LendBrowserRequest } from './browser-fetch.ts'
import { openEgressProxy } from './egress/egress-proxy.ts'
import type { LentSeat } from './lent/lent-browsers.ts'
import { PageOpener } from './page-opener.ts'
import { BrowserLauncher, type LauncherOptions } from './pool/browser-launcher.ts'
import { BrowserPool } from './pool/pool.ts'
import { poolSize, thisMachine } from './pool/pool-size.ts'
import { defaultLimits, type RetirementLimits } from './pool/retirement.ts'
import { Readiness } from './readiness.ts'
import { SeatBoard } from './seats/seat-board.ts'

export type * from './browser-fetch.ts'
export type * from './driver.ts'
export { findBrowser } from './pool/find-browser.ts'

export interface BrowserFetchOptions {
  gate: EgressGate
  /** Opens connections through proxies. */
  dialer?: ProxyDialer | undefined
  places: LauncherOptions['places']
  /** Number of pages that can be open at the same time. */
  poolSize: number | 'auto'
  limits?: Partial<RetirementLimits>
  idleMs?: number
  acquireMs?: number
  watchMs?: number
  contextsPerBrowser?: number
  identityFor: IdentityFor
  drivers: LauncherOptions['drivers']
  emit: Emit
  tempFolder?: string
}

const defaults = { idleMs: 60_000, acquireMs: 10_000, watchMs: 3_000, contextsPerBrowser: 4 }

/** Opens browser rendering. The first browser starts with the first `open` or `lend`. */
export function openBrowserFetch(options: BrowserFetchOptions): BrowserFetch & { pool: BrowserPool } {
  const { idleMs, acquireMs, watchMs, contextsPerBrowser } = { ...defaults, ...options }
  const launcher = new BrowserLauncher(options)
  const pool = new BrowserPool({
    size: poolSize(options.poolSize, thisMachine()),
    contextsPerBrowser,
    limits: { ...defaultLimits, ...options.limits },
    acquireMs,
    idleMs,
    watchMs,
    launch: sort => launcher.launch(sort),
    launchLent: (proxyPort, keepsSitesApart) => launcher.launchLent(proxyPort, keepsSitesApart),
  })
  const readiness = new Readiness(pool)
  const seats = new SeatBoard()
  const identities = new Identities(options.identityFor)
  const opener = new PageOpener({
    ...{ pool, seats },
    identityFor: (jobId, request) => identities.of(jobId, request),
    openProxy: (before, onwards) =>
      openEgressProxy({
        gate: options.gate,
        before,
        upstream: onwards && { dialer: options.dialer!, proxy: onwards },
      }),
    worked: () => readiness.worked(),
  })
  return {
    ...{ pool, seats },
    open: async (request, signal) => {
      // Check the URL before a browser starts. URLs of files and browser-internal pages would never reach the proxy.
      options.gate.judgeUrl(request.url)
      return opener.open(request, signal)
    },
    lend: (request, signal) => lendBrowser({ ...options, pool, identities }, request, signal),
    forgetJob: async jobId => {
      identities.forget(jobId)
      await pool.closeJob(jobId)
    },
    stats: () => pool.stats(),
    isReady: () => readiness.isReady(),
    [Symbol.asyncDispose]: () => pool[Symbol.asyncDispose](),
  }
}

/** Starts a browser that a client controls. It has the egress gate and the identity that a page of the same job would
 *  have. */
async function lendBrowser(
  { pool, identities, gate, dialer }: LendParts,
  {
    jobId,
    before,
    maxBytes,
    proxy,
    region = null,
    session,
    userAgent,
    asBrowser,
    keepsSitesApart = false,
    ...rest
  }: LendBrowserRequest,
  signal: AbortSignal,
): Promise<LentSeat> {
  const kind = asBrowser ? 'stealth' : 'plain'
  const wish = { session, browser: kind, userAgent, mobile: false, region } as const
  return pool.lend(
    {
      ...{ ...rest, keepsSitesApart },
      identityFor: version => identities.of(jobId, { ...wish, version }),
      openProxy: () =>
        openEgressProxy({
          ...{ gate, before, maxTaskBytes: maxBytes },
          upstream: proxy && { dialer: dialer!, proxy },
        }),
    },
    signal,
  )
}

type LendParts = Pick<BrowserFetchOptions, 'gate' | 'dialer'> & { pool: BrowserPool; identities: Identities }

/** Caches identities: a session has the same identity until its job ends. */
class Identities {
  readonly #make: IdentityFor
  readonly #byJob = new Map<string, Map<string, Promise<Identity>>>()

  constructor(make: IdentityFor) {
    this.#make = make
  }

  of(jobId: string, request: IdentityRequest): Promise<Identity> {
    const ofJob = this.#byJob.get(jobId) ?? new Map<string, Promise<Identity>>()
    this.#byJob.set(jobId, ofJob)
    const key = JSON.stringify(request)
    const identity = ofJob.get(key) ?? this.#make(request)
    ofJob.set(key, identity)
    return identity
  }

  forget(jobId: string): void {
    this.#byJob.delete(jobId)
  }
}
