// Firecrawl's official client, installed in a separate folder, and the service that it uses.
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { startTestSite, type TestSite } from '../site/index.ts'
import { awake } from './awake.ts'
import { operatorKey, TestService, type TestServiceOptions } from './service.ts'

/** The folder of a version of the client. */
export type ClientFolder = 'firecrawl' | 'firecrawl-3'

const entryOf = (folder: ClientFolder): string =>
  join(import.meta.dirname, `../drop-in/${folder}/node_modules/@mendable/firecrawl-js/dist/index.js`)

export type Document = Record<string, unknown> & { metadata: Record<string, unknown> }

export interface Job {
  id: string
  status: string
  completed: number
  total: number
  creditsUsed?: number
  next?: string | null
  data: Document[]
  error?: string
}

type Options = Record<string, unknown>
type Listener = (told: Record<string, unknown>) => void

export interface Watcher {
  on(event: 'document' | 'snapshot' | 'done' | 'error', listener: Listener): void
  start(): Promise<void>
  close(): void
}

/** The part of version 2 of the client that the tests use. */
export interface ClientV2 {
  v1: ClientV1
  scrape(url: string, options?: Options): Promise<Document>
  startBatchScrape(
    urls: string[],
    options?: Options,
  ): Promise<{ id: string; url: string; invalidURLs?: string[] }>
  batchScrape(urls: string[], options?: Options): Promise<Job>
  getBatchScrapeStatus(id: string, paging?: Options): Promise<Job>
  cancelBatchScrape(id: string): Promise<boolean>
  getBatchScrapeErrors(id: string): Promise<Errors>
  startCrawl(url: string, options?: Options): Promise<{ id: string; url: string }>
  crawl(url: string, options?: Options): Promise<Job>
  getCrawlStatus(id: string, paging?: Options): Promise<Job>
  cancelCrawl(id: string): Promise<boolean>
  getCrawlErrors(id: string): Promise<Errors>
  getActiveCrawls(): Promise<{ crawls: Array<{ id: string; url: string }> }>
  map(url: string, options?: Options): Promise<{ links: Array<{ url: string }> }>
  getConcurrency(): Promise<{ concurrency: number; maxConcurrency: number }>
  getCreditUsage(): Promise<{ remainingCredits: number }>
  getQueueStatus(): Promise<{ jobsInQueue: number; maxConcurrency: number }>
  watcher(id: string, options?: Options): Watcher
}

export interface Errors {
  errors: Array<{ id: string; url: string; error: string; code?: string }>
  robotsBlocked: string[]
}

export interface CrawlWatcher extends EventTarget {
  data: Document[]
  status: string
}

export interface ClientV1 {
  scrapeUrl(url: string, options?: Options): Promise<Document & { success: boolean }>
  crawlUrl(url: string, options: Options, pollSeconds?: number): Promise<Job & { success: boolean }>
  asyncCrawlUrl(url: string, options: Options): Promise<{ success: boolean; id: string }>
  checkCrawlStatus(id: string, all?: boolean): Promise<Job & { success: boolean }>
  checkCrawlErrors(id: string): Promise<Errors>
  cancelCrawl(id: string): Promise<{ status: string }>
  mapUrl(url: string, options?: Options): Promise<{ success: boolean; links: string[] }>
  batchScrapeUrls(urls: string[], options: Options, pollSeconds?: number): Promise<Job & { success: boolean }>
  asyncBatchScrapeUrls(urls: string[], options: Options): Promise<{ success: boolean; id: string }>
  checkBatchScrapeErrors(id: string): Promise<Errors>
  crawlUrlAndWatch(url: string, options: Options): Promise<CrawlWatcher>
}

interface Package {
  Firecrawl: new (options: { apiKey: string; apiUrl: string }) => ClientV2
}

async function officialClient(folder: ClientFolder): Promise<Package> {
  const entry = entryOf(folder)
  if (!existsSync(entry)) throw new Error("Firecrawl's client is not installed: run ci/drop-in")
  return (await import(pathToFileURL(entry).href)) as Package
}

export class FirecrawlApi implements AsyncDisposable {
  readonly site: TestSite
  readonly service: TestService
  readonly client: ClientV2
  #official: Package

  private constructor(site: TestSite, service: TestService, official: Package) {
    this.site = site
    this.service = service
    this.#official = official
    this.client = this.clientWith(operatorKey)
  }

  static async open(
    { settings, ...options }: TestServiceOptions = {},
    folder: ClientFolder = 'firecrawl',
  ): Promise<FirecrawlApi> {
    const official = await officialClient(folder)
    await using opened = new AsyncDisposableStack()
    const site = opened.use(await startTestSite())
    const allowPrivate = [`${site.host}:${site.port}`, ...((settings?.allowPrivate as string[]) ?? [])]
    const all = { rate: 'unlimited', ...settings, allowPrivate } as const
    const service = opened.use(await TestService.open({ ...options, settings: all }))
    await awake(service)
    opened.move()
    return new FirecrawlApi(site, service, official)
  }

  /** A client as a user configures it, except that it uses the address of our service. */
  clientWith(apiKey: string): ClientV2 {
    return new this.#official.Firecrawl({ apiKey, apiUrl: this.service.url })
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.service[Symbol.asyncDispose]()
    await this.site[Symbol.asyncDispose]()
  }
}
