// Starts the roles of one process, reports their health, and stops them in order.

import { setFlagsFromString } from 'node:v8'
import { migratePostgres } from '../../adapters/postgres/open.ts'
import type { Loaded } from '../../config/load.ts'
import type { Settings } from '../../config/settings.ts'
import { systemClock } from '../../lib/clocks.ts'
import { Emitter } from '../../lib/emitter.ts'
import { openTraces } from '../../observe/tracing.ts'
import type { Log } from '../../server/parts.ts'
import { armFaultPoint } from '../fault-point.ts'
import { findScraperFiles, loadScrapers } from '../scrapers/scraper-files.ts'
import { answerDiagnoses } from './diagnose-workers.ts'
import type { RoleParts, Running } from './role.ts'
import { type Phase, watchRoles } from './role-health.ts'
import { type RoleName, roles } from './roles.ts'
import { needed } from './services.ts'
import { layKeys } from './task-services/shared-keys.ts'

export interface RunningRoles extends AsyncDisposable {
  roles: ReadonlyMap<RoleName, Running>
  /** The port that serves health; null if none is set. */
  healthPort: number | null
}

/** Heap growth in percent above the live data of the last collection. By default, V8 lets the heap grow to several times the
 *  live data before a full collection. A role has few live objects and much short-lived data. */
const heapGrowsBy = 40

export async function startRoles(loaded: Loaded, names: RoleName[], log: Log): Promise<RunningRoles> {
  setFlagsFromString(`--heap-growing-percent=${heapGrowsBy}`)
  for (const name of ['databaseUrl', 'redisUrl', 's3Bucket'] as const) needed(loaded.settings, name)
  layKeys(loaded.settings)
  await using opened = new AsyncDisposableStack()
  const parts = await partsOf(opened, loaded, names, log)
  const running = new Map<RoleName, Running>()
  const phase: Phase = { isStopping: false }
  const { healthPort, metrics } = await watchRoles(opened, parts, wantedRoles(names), { running, phase })
  opened.defer(() => {
    phase.isStopping = true
    return stopInTurn(running, loaded.settings.graceMs)
  })
  for (const name of names) {
    const role = await roles[name].start({ ...parts, metrics })
    running.set(name, role)
    log.child({ component: 'cluster' }).info({ role: name, name: role.name }, `${name} is up`)
  }
  await answerDiagnoses(opened, parts, running)
  const all = opened.move()
  return { roles: running, healthPort, [Symbol.asyncDispose]: () => all.disposeAsync() }
}

const wantedRoles = (names: readonly RoleName[]) => ({
  names,
  needs: new Set(names.flatMap(name => roles[name].needs)),
})

/** The order in which roles stop: first the roles that accept jobs or fetch pages, then the processor, then the
 *  coordinator. */
const turns: readonly RoleName[][] = [
  ['api', 'sqs-intake', 'ingest', 'http-worker', 'browser-worker'],
  ['processor'],
  ['coordinator'],
]
/** The minimum grace period of a role. It applies if earlier roles have used up the common grace period. */
const leastGraceMs = 1_000

/** All roles of a process share one grace period. When it is used up, the remaining roles stop together. */
async function stopInTurn(running: ReadonlyMap<RoleName, Running>, graceMs: number): Promise<void> {
  const until = systemClock.now() + graceMs
  for (let left = turns; left.length > 0; ) {
    const leftMs = until - systemClock.now()
    const isOver = leftMs <= 0
    const names = isOver ? left.flat() : left[0]!
    await Promise.allSettled(names.map(name => running.get(name)?.stop(Math.max(leastGraceMs, leftMs))))
    left = isOver ? [] : left.slice(1)
  }
}

async function partsOf(
  opened: AsyncDisposableStack,
  loaded: Loaded,
  names: RoleName[],
  log: Log,
): Promise<RoleParts> {
  const events = new Emitter()
  const traces = await openTraces(opened, loaded.settings, { events, does: names.join(' ') })
  const scraperFiles = findScraperFiles(loaded.root)
  const registry = await loadScrapers(scraperFiles)
  for (const { file, failure } of registry.broken)
    log.warn({ file }, `${failure.message}; jobs that use other scrapers run`)
  return {
    ...loaded,
    ...{ events, scraperFiles, registry, log, traces, emit: events.emit },
    mark: armFaultPoint(loaded.settings.killPoint),
  }
}

/** Migrates the store to the schema of this version. */
export const migrateStore = (settings: Settings): Promise<{ from: number; to: number }> =>
  migratePostgres(needed(settings, 'databaseUrl'), armFaultPoint(settings.killPoint))
