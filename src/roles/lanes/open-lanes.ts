// Opens the lanes: on their own threads, or all of them on the main thread.
import { availableParallelism } from 'node:os'
import { shareAuthorities } from '../../config/load.ts'
import { operatorProxies } from '../../config/operator-proxies.ts'
import type { Settings } from '../../config/settings.ts'
import { readCertificates, usualAuthorities } from '../../fetch/http/index.ts'
import type { Lanes } from '../../pipeline/coordinate/context.ts'
import type { Runner } from '../../pipeline/work/work-loop.ts'
import type { FetchLayer } from '../../ports/fetch.ts'
import type { Registry } from '../../scraper/registry.ts'
import type { DataDirectory } from '../data-directory.ts'
import { llmSettingsOf } from '../llm-settings.ts'
import { browserStartOf } from './browser-settings.ts'
import { credentialsBackendOf } from './credentials.ts'
import type { LaneEvents } from './lane-handle.ts'
import type { LaneStart } from './lane-messages.ts'
import { LocalLanes } from './local-lanes.ts'
import { ThreadLanes } from './thread-lanes.ts'

interface LanesInput {
  owner: string
  data: DataDirectory
  settings: Settings
  registry: Registry
  scraperFiles: string[]
  hasOwnScrapers: boolean
  lanes: number | undefined
  /** Threads start with the first job and end when no job is left. */
  lanesOnDemand?: boolean | undefined
  /** Wraps every request, for recordings. If it is set, all lanes run on the main thread. */
  fetchLayer?: FetchLayer | undefined
}

type OpenedLanes = Lanes & { runners: Runner[] }

export async function openLanes(input: LanesInput, count: number, links: LaneEvents): Promise<OpenedLanes> {
  const start = (index: number, browser: LaneStart['browser'] = null) =>
    laneStart(input, `${input.owner}-${index}`, browser)
  const withBrowser = start(Math.max(1, count), browserStartOf(input.settings))
  const { fetchLayer, hasOwnScrapers } = input
  if (count === 0)
    return LocalLanes.open({ http: start(0), browser: withBrowser }, input.registry, {
      ...links,
      fetchLayer,
      hasOwnScrapers,
    })
  return new ThreadLanes(
    Array.from({ length: count }, (_, index) => start(index)),
    withBrowser,
    links,
    {
      silentMs: input.settings.leaseMs,
      onDemand: input.lanesOnDemand,
      followsLoad: followsLoad(input),
    },
  )
}

/** The start message for the lane with this name. */
export function laneStart(
  input: Pick<LanesInput, 'data' | 'settings' | 'scraperFiles'>,
  name: string,
  browser: LaneStart['browser'],
): LaneStart {
  const { caFile } = input.settings
  if (caFile) shareAuthorities(readCertificates(caFile), usualAuthorities)
  return {
    name,
    blobsRoot: input.data.blobsRoot,
    dataDir: input.data.path,
    allowPrivate: input.settings.allowPrivate,
    caFile: input.settings.caFile ?? null,
    proxies: operatorProxies(input.settings),
    scraperFiles: input.scraperFiles,
    llm: llmSettingsOf(input.settings),
    credentials: credentialsBackendOf(input.settings),
    secretsFile: input.settings.secretsFile ?? null,
    browserPath: input.settings.browserPath ?? null,
    browser,
  }
}

/** Whether one lane starts first, and further lanes only if the load needs them. */
const followsLoad = ({ settings, lanes }: LanesInput): boolean =>
  settings.lanes === 'auto' && lanes === undefined

/** The largest number of lane threads. Zero if scrapers or a fetch layer are functions, because functions cannot be sent to
 *  threads. Otherwise the setting, or the caller's default. */
export function laneCount({ settings, hasOwnScrapers, fetchLayer, lanes }: LanesInput): number {
  if (hasOwnScrapers || fetchLayer) return 0
  if (settings.lanes !== 'auto') return settings.lanes
  return lanes ?? availableParallelism()
}
