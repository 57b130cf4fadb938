// Opens a lane with its own dependencies, on the main thread or on its own thread.
import { openFileBlobs } from '../../adapters/fs/blobs.ts'
import { openThreadBus } from '../../adapters/memory/bus.ts'
import type { GoldenPages } from '../../extract/llm/proposed-rules.ts'
import { EgressGate, type Resolver } from '../../fetch/http/index.ts'
import { systemClock } from '../../lib/clocks.ts'
import type { Emit } from '../../model/events.ts'
import type { TaskReport, TimedTask } from '../../model/lane.ts'
import { Lane, type LaneParts } from '../../pipeline/work/lane/lane.ts'
import type { Blobs } from '../../ports/blobs.ts'
import type { Bus } from '../../ports/bus.ts'
import type { FetchLayer } from '../../ports/fetch.ts'
import type { AskPermit } from '../../ports/permits.ts'
import type { Credentials } from '../../ports/secrets.ts'
import type { Scraper } from '../../scraper/define-scraper.ts'
import type { Registry } from '../../scraper/registry.ts'
import { dialerFor } from '../proxy-pool.ts'
import { LaneReader } from '../reader/lane-reader.ts'
import { openSessions, type Sessions } from '../sessions.ts'
import { browserVersionHere } from './browser-look.ts'
import { openCredentials } from './credentials.ts'
import type { BrowserStart, LaneStart } from './lane-messages.ts'
import type { OpenedBrowser } from './open-browser.ts'

export interface LaneLinks {
  askPermit: AskPermit
  report: (reports: TaskReport[]) => void
  registry: Registry
  emit: Emit
  fetchLayer?: FetchLayer | undefined
  /** Connects browsers with clients in other processes. Without it, only clients of this process can connect. */
  bus?: Bus
  /** The blob store for pages; the file system if absent. */
  blobs?: Blobs
  leavesReading?: boolean
  mayBegin?: (task: TimedTask) => boolean
  onLate?: LaneParts['onLate']
  ended?: LaneParts['ended']
  gather?: LaneParts['gather']
  /** Sessions and token budgets that several processes share. */
  sessions?: Sessions
  resolve?: Resolver
  budgetOf?: LaneParts['budgetOf']
  /** Whether scrapers are functions. No other process has these functions, so every page is parsed in this process. */
  hasOwnScrapers?: boolean
}

/** A lane, and the resources that must be closed after it. */
export interface OpenedLane extends AsyncDisposable {
  lane: Lane
  /** Whether the lane's browser loads a page; false if it has none. */
  tryBrowser: () => Promise<boolean>
}

export async function openLane(start: LaneStart, links: LaneLinks): Promise<OpenedLane> {
  await using opened = new AsyncDisposableStack()
  const blobs = links.blobs ?? opened.use(await openFileBlobs(start.blobsRoot))
  const { resolve } = links
  const gate = new EgressGate({ allowPrivate: start.allowPrivate, ...(resolve && { resolve }) })
  const bus = links.bus ?? opened.use(openThreadBus(start.dataDir))
  const browser = start.browser
    ? opened.use(await laneBrowser(start, start.browser, gate, { ...links, bus }))
    : null
  const credentials = opened.use(openCredentials(start))
  const reader = links.hasOwnScrapers ? null : opened.use(new LaneReader(start))
  const lane = opened.use(laneOn({ blobs, bus, gate, browser, credentials, reader }, start, links))
  const owned = opened.move()
  return {
    lane,
    tryBrowser: async () => (await browser?.fetch.isReady()) ?? false,
    [Symbol.asyncDispose]: () => owned.disposeAsync(),
  }
}

/** Loads the browser code on demand, because most lanes have no browser. */
async function laneBrowser(
  { proxies, allowPrivate, caFile }: LaneStart,
  start: BrowserStart,
  gate: EgressGate,
  { emit, sessions, bus }: LaneLinks & { bus: Bus },
): Promise<OpenedBrowser> {
  const dialer = dialerFor(proxies, { allowPrivate, caFile: caFile ?? undefined })
  return (await import('./open-browser.ts')).openLaneBrowser(start, gate, emit, dialer, { sessions, bus })
}

interface OwnParts {
  blobs: Blobs
  bus: Bus
  gate: EgressGate
  browser: OpenedBrowser | null
  credentials: Credentials
  reader: LaneReader | null
}

function laneOn(
  { blobs, bus, gate, browser, credentials, reader }: OwnParts,
  start: LaneStart,
  links: LaneLinks,
): Lane {
  return new Lane({
    name: start.name,
    clock: systemClock,
    ...{ blobs, bus },
    ...(browser && { browser }),
    credentials,
    ...(reader && { reader }),
    sessions: links.sessions ?? openSessions(start.dataDir),
    ...(links.budgetOf && { budgetOf: links.budgetOf }),
    askPermit: links.askPermit,
    report: links.report,
    emit: links.emit,
    ...(links.leavesReading && { leavesReading: true }),
    ...(links.mayBegin && { mayBegin: links.mayBegin }),
    ...(links.onLate && { onLate: links.onLate }),
    ...(links.ended && { ended: links.ended }),
    ...(links.gather && { gather: links.gather }),
    scraper: id => links.registry.get(id),
    llm: start.llm,
    golden: goldenIn(start.scraperFiles),
    browserVersion: () => browserVersionHere(start.browserPath ?? undefined),
    http: { gate, caFile: start.caFile, proxies: start.proxies, layer: links.fetchLayer },
  })
}

/** Loaded on demand, because only jobs that propose rules need golden pages. */
export const goldenIn =
  (scraperFiles: readonly string[]) =>
  async (scraper: Scraper): Promise<GoldenPages | null> =>
    (await import('../scrapers/golden-check.ts')).goldenPagesOf(scraperFiles, scraper)
