// A report about this process: versions, memory, event loop lag, open resources.
import { arch, availableParallelism, freemem, hostname, loadavg, platform, release, totalmem } from 'node:os'
import { monitorEventLoopDelay } from 'node:perf_hooks'
import { setTimeout as wait } from 'node:timers/promises'
import { getHeapStatistics } from 'node:v8'
import type { Settings } from '../../config/settings.ts'
import { browserVersion } from '../../fetch/browser/identity/browser-version.ts'
import { findBrowser } from '../../fetch/browser/pool/find-browser.ts'
import { version } from '../../lib/user-agent.ts'
import { asFailure } from '../../model/failures.ts'
import type { RecentEvents } from './recent-events.ts'
import { shownSettings } from './redaction.ts'

/** How long the event loop lag is measured. */
const watchedMs = 250

export async function reportOnProcess(
  settings: Settings,
  own: { recent?: RecentEvents; state?: () => unknown } = {},
): Promise<Record<string, unknown>> {
  return {
    versions: await versionsOf(settings),
    settings: shownSettings(settings),
    process: { ...(await processNow()), ...(own.state && { state: own.state() }) },
    ...(own.recent && { events: own.recent.list }),
  }
}

async function versionsOf(settings: Settings): Promise<Record<string, unknown>> {
  return {
    kscrape: version,
    node: process.versions,
    os: { platform: platform(), release: release(), arch: arch() },
    browsers: { shell: await browserOf(settings, 'shell'), full: await browserOf(settings, 'full') },
  }
}

/** The browser in use, and its version. */
async function browserOf({ browserPath }: Settings, wants: 'shell' | 'full'): Promise<unknown> {
  try {
    const found = await findBrowser({ path: browserPath, wants })
    return found && { ...found, version: await browserVersion(found) }
  } catch (error) {
    return asFailure(error).message
  }
}

async function processNow(): Promise<Record<string, unknown>> {
  return {
    ...{ host: hostname(), pid: process.pid, command: process.argv.slice(2, 4) },
    ...{ uptimeSeconds: Math.round(process.uptime()), cores: availableParallelism(), load: loadavg() },
    machineMemory: { total: totalmem(), free: freemem() },
    ...{ memory: process.memoryUsage(), heap: getHeapStatistics(), usage: process.resourceUsage() },
    loopDelayMs: await loopDelay(),
    holdsOpen: counted(process.getActiveResourcesInfo()),
  }
}

async function loopDelay(): Promise<{ mean: number; max: number }> {
  using histogram = monitorEventLoopDelay({ resolution: 10 })
  histogram.enable()
  await wait(watchedMs)
  histogram.disable()
  const ms = (nanoseconds: number) => (Number.isFinite(nanoseconds) ? Math.round(nanoseconds / 1e5) / 10 : 0)
  return { mean: ms(histogram.mean), max: ms(histogram.max) }
}

const counted = (names: string[]): Record<string, number> =>
  Object.fromEntries([...Map.groupBy(names, name => name)].map(([name, all]) => [name, all.length] as const))
