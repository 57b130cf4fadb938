// Opens the browser of a lane: our driver for plain pages, Playwright for actions, patchright for stealth.

import { hostPolicies } from '../../config/host-policies.ts'
import { identityMaker } from '../../fetch/browser/identity/identity.ts'
import { type BrowserFetch, openBrowserFetch } from '../../fetch/browser/index.ts'
import { servePlaywright } from '../../fetch/browser/lent/playwright-client.ts'
import { clientSeats } from '../../fetch/browser/pool/pool-size.ts'
import type { SaveSession } from '../../fetch/browser/seats/seat-board.ts'
import type { EgressGate } from '../../fetch/http/index.ts'
import type { ProxyDialer } from '../../fetch/proxies/dial.ts'
import { answerBus } from '../../lib/bus-calls.ts'
import { userAgentOf } from '../../lib/user-agent.ts'
import type { Emit } from '../../model/events.ts'
import { type SeatCommand, seatsTopic } from '../../model/seat.ts'
import type { LaneBrowser } from '../../pipeline/work/lane/job-browser.ts'
import type { Bus } from '../../ports/bus.ts'
import { nameIn, openSessions, type Sessions } from '../sessions.ts'
import { localSecrets } from './credentials.ts'
import type { BrowserStart } from './lane-messages.ts'

export type OpenedBrowser = LaneBrowser & AsyncDisposable

/** Starts no browser yet. The first page starts it. */
export function openLaneBrowser(
  start: BrowserStart,
  gate: EgressGate,
  emit: Emit,
  dialer: ProxyDialer,
  { sessions = openSessions(start.dataDir), bus }: { sessions?: Sessions | undefined; bus: Bus },
): OpenedBrowser {
  const policyOf = hostPolicies(start)
  const fetch = openBrowserFetch({
    gate,
    dialer,
    places: { path: start.path ?? undefined },
    poolSize: start.poolSize,
    limits: { pages: start.maxPages, memoryBytes: start.maxMemoryBytes },
    identityFor: identityMaker({ userAgent: userAgentOf({}) }),
    drivers: {
      playwright: async () =>
        (await import('../../fetch/browser/playwright/driver.ts')).openPlaywrightDriver(),
      patchright: async () =>
        (await import('../../fetch/browser/playwright/driver.ts')).openPatchrightDriver(),
    },
    emit,
  })
  const counting = reportCounts(fetch, emit)
  const save: SaveSession = ({ session, workspace }, state) =>
    sessions.save(nameIn(workspace, session), state)
  const answering = answerBus<SeatCommand>(bus, seatsTopic, command => fetch.seats.answer(command, save))
  return {
    fetch,
    clientSeats: clientSeats(fetch.stats().total, start.seatsForJobs),
    sessions,
    secrets: localSecrets(start.dataDir, start.secretsFile),
    servePlaywright,
    performActions: async (...given) =>
      (await import('../../fetch/actions/perform-actions.ts')).performActions(...given),
    actionDelayOf: host => policyOf(host).actionDelayMs,
    [Symbol.asyncDispose]: async () => {
      clearInterval(counting)
      const stopAnswering = await answering.catch(() => null)
      stopAnswering?.()
      await fetch[Symbol.asyncDispose]()
    },
  }
}

const countEveryMs = 1_000

/** Reports the counts of the browser pool as events, because the pool may run on another thread than the code that
 *  needs the counts. */
function reportCounts({ stats, seats }: Pick<BrowserFetch, 'stats' | 'seats'>, emit: Emit): NodeJS.Timeout {
  let told = ''
  const tell = () => {
    const { total, available, in_use, pages_processed, recycled_count, browsers } = stats()
    const counts = {
      ...{ total, available, inUse: in_use, browsers },
      ...{ pagesProcessed: pages_processed, recycledCount: recycled_count, seats: seats.all },
    }
    if (JSON.stringify(counts) === told) return
    told = JSON.stringify(counts)
    emit('browser.counted', counts)
  }
  return setInterval(tell, countEveryMs).unref()
}
