// Checks that browsers work, by loading an internal page in a real browser.
import type { AddressInfo } from 'node:net'
import { createServer } from '../../lib/node-http.ts'
import type { Identity } from '../../model/policy/rendering.ts'
import { rendering } from '../../model/policy/rendering.ts'
import { limitOf } from './bounded.ts'
import type { EgressProxy } from './egress/egress-proxy.ts'
import type { BrowserPool } from './pool/pool.ts'

const freshMs = 60_000
const probeMs = 15_000

export class Readiness {
  readonly #pool: BrowserPool
  #workedAt = Number.NEGATIVE_INFINITY
  #probe: Promise<boolean> | null = null

  constructor(pool: BrowserPool) {
    this.#pool = pool
  }

  /** Call after each loaded page, so that no probe is necessary for a while. */
  worked(): void {
    this.#workedAt = performance.now()
  }

  async isReady(): Promise<boolean> {
    if (performance.now() - this.#workedAt < freshMs) return true
    this.#probe ??= this.#load().finally(() => {
      this.#probe = null
    })
    return this.#probe
  }

  async #load(): Promise<boolean> {
    using limit = limitOf(probeMs, new Error('The browser did not load a page in time'))
    const request = {
      jobId: 'readiness',
      session: 'readiness',
      driver: 'cdp',
      isolation: 'task',
      keepsSitesApart: false,
      languages: [],
      identityFor: async (version: string) => probeIdentity(version),
      state: null,
      maxDownloadBytes: 0,
      openProxy: openProbePage,
    } as const
    try {
      const seat = await this.#pool.acquire(request, limit.signal)
      const { driven } = seat.context
      const isGood = await driven.load(probeRequest, limit.signal).then(
        page => page.html.includes(probeText),
        () => false,
      )
      await seat.release({ isBroken: !isGood })
      if (isGood) this.worked()
      return isGood
    } catch {
      return false
    }
  }
}

const probeText = 'The browser works'
const probeRequest = {
  url: 'http://readiness.invalid/',
  headers: {},
  navigationMs: 10_000,
  settleMs: 0,
  maxBytes: 100_000,
  rendering: rendering.parse({ waitFor: 'h1' }),
}

/** Replaces the egress proxy for the probe. It responds to every request with one page, so that no request leaves the
 *  machine. */
async function openProbePage(): Promise<EgressProxy> {
  const server = createServer((_request, response) => {
    response.setHeader('content-type', 'text/html').end(`<!DOCTYPE html><h1>${probeText}</h1>`)
  })
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
  return {
    port: (server.address() as AddressInfo).port,
    bytes: { received: 0, sent: 0 },
    failures: [],
    failureOf: () => null,
    beginTask: () => {},
    [Symbol.asyncDispose]: async () => {
      server.closeAllConnections()
      server.close()
    },
  }
}

const probeIdentity = (version: string): Identity => ({
  id: 'readiness',
  userAgent: `kscrape readiness Chrome/${version}`,
  headers: {},
  viewport: { width: 1280, height: 720, deviceScaleFactor: 1, isMobile: false, hasTouch: false },
  locale: 'en-US',
  languages: ['en-US'],
  timeZone: 'UTC',
  geolocation: null,
  platform: 'Linux x86_64',
})
