// One browser of the pool: its contexts, its counters, and its shutdown.
import type { BrowserCounts } from '../../../model/events.ts'
import type { Failure } from '../../../model/failures.ts'
import { within } from '../bounded.ts'
import type { LaunchedBrowser } from '../driver.ts'
import { endGroup, groupMemoryBytes, killGroup } from './processes.ts'
import { removeFolder } from './profile-folders.ts'
import {
  NavigationTimes,
  type RetirementLimits,
  type RetirementReason,
  retirementReason,
} from './retirement.ts'

export type DriverName = 'cdp' | 'playwright' | 'patchright'

/** Properties by which browsers are chosen. Browsers with equal values are interchangeable. */
export interface BrowserSort {
  driver: DriverName
  /** Enables Chromium's site isolation. Then a page cannot read data of other sites, even if it takes over its process. */
  keepsSitesApart: boolean
  /** Languages of the whole browser. Empty if each page emulates its own. */
  languages: readonly string[]
}

interface PooledBrowserParts extends BrowserSort {
  launched: LaunchedBrowser
  folder: string
}

const closeMs = 2_000

/** The part of a context that the browser uses. */
export interface HeldContext {
  isInUse: boolean
  dropped(): Promise<void>
}

export class PooledBrowser<Context extends HeldContext> {
  readonly driver: DriverName
  readonly keepsSitesApart: boolean
  readonly languages: readonly string[]
  readonly launched: LaunchedBrowser
  readonly folder: string
  readonly contexts = new Set<Context>()
  readonly navigations = new NavigationTimes()
  readonly #startedAt = performance.now()
  /** Number of contexts that are being opened. */
  opening = 0
  pages = 0
  /** A `retiring` browser accepts no new contexts and ends when its last context closes. */
  phase: 'serving' | 'retiring' | 'gone' = 'serving'
  isBeingReplaced = false
  usedAt = performance.now()
  /** The failure, if the pool killed the browser because it did not respond; null otherwise. */
  hungBecause: Failure | null = null
  #memoryBytes: number | null = null

  constructor({ driver, keepsSitesApart, languages, launched, folder }: PooledBrowserParts) {
    this.driver = driver
    this.keepsSitesApart = keepsSitesApart
    this.languages = languages
    this.launched = launched
    this.folder = folder
  }

  get inUse(): number {
    return this.opening + [...this.contexts].filter(context => context.isInUse).length
  }

  get room(): number {
    return this.opening + this.contexts.size
  }

  measureMemory(): number {
    this.#memoryBytes = groupMemoryBytes(this.launched.pid)
    return this.#memoryBytes ?? 0
  }

  /** Counters of the browser, read without a call to it. */
  counts(): BrowserCounts {
    const { driver, phase, pages, inUse } = this
    const startedAt = Math.round(performance.timeOrigin + this.#startedAt)
    return { driver, phase, pages, inUse, startedAt, pid: this.launched.pid, memoryBytes: this.#memoryBytes }
  }

  dueBecause(limits: RetirementLimits): RetirementReason | null {
    const { pages, navigations } = this
    const ageMs = performance.now() - this.#startedAt
    return retirementReason({ pages, ageMs, memoryBytes: this.#memoryBytes, navigations }, limits)
  }

  /** Kills the process group. A hung browser reacts to no other signal. */
  kill(): void {
    killGroup(this.launched.pid)
  }

  /** Closes the browser gracefully, and by force if that takes too long. Afterwards no process and no folder of it
   *  remains. */
  async end(): Promise<void> {
    this.phase = 'gone'
    await within(closeMs, this.launched.close())
    // Wait for the processes too, because `gone` resolves when the connection closes, and the processes end later.
    await Promise.all([endGroup(this.launched.pid), this.launched.gone])
    await Promise.all([...this.contexts].map(context => context.dropped()))
    await removeFolder(this.folder)
  }
}
