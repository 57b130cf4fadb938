// What a role of a cluster is given, and what it is while it runs.
import type { Loaded } from '../../config/load.ts'
import type { Emitter } from '../../lib/emitter.ts'
import type { Mark } from '../../pipeline/desk.ts'
import type { Registry } from '../../scraper/registry.ts'
import type { Log } from '../../server/parts.ts'

export interface RoleParts extends Loaded {
  registry: Registry
  scraperFiles: string[]
  events: Emitter
  emit: Emitter['emit']
  mark: Mark
  log: Log
}

export interface Running {
  name: string
  /** Tasks or messages in hand. */
  held: () => number
  /** Takes no more, finishes what it has within the grace period, gives back the rest. */
  stop(): Promise<void>
  /** Only where there is something to reach. */
  url?: string
  firstKey?: string | null
  /** Whether it leads; only for a role that can be led. */
  leads?: () => boolean
}

export type StartRole = (parts: RoleParts) => Promise<Running>
