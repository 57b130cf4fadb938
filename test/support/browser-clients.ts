// Playwright's, Puppeteer's and Steel's own clients, each installed in its own folder, and a service with browsers for them.
import { existsSync } from 'node:fs'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import type { chromium as Chromium } from 'playwright-core'
import { allPids, commandLineOf } from '../../src/fetch/browser/pool/processes.ts'
import { ListeningSite, type Served } from './listening-site.ts'
import { operatorKey, TestService, type TestServiceOptions } from './service.ts'

const folder = join(import.meta.dirname, '../drop-in/browsers/node_modules')

function required<Module>(name: string): Module {
  if (!existsSync(join(folder, name)))
    throw new Error(`${name} is not installed: run ci/drop-in, or make install`)
  return createRequire(join(folder, 'x.js'))(name) as Module
}

export const playwright = (): typeof Chromium =>
  required<{ chromium: typeof Chromium }>('playwright-core').chromium

/** The part of Puppeteer's interface that the tests use. */
export interface PuppeteerPage {
  goto(url: string): Promise<{ status(): number } | null>
  title(): Promise<string>
  content(): Promise<string>
  evaluate<Value>(script: string): Promise<Value>
  screenshot(options?: object): Promise<Uint8Array>
  pdf(options?: object): Promise<Uint8Array>
  click(selector: string): Promise<void>
  type(selector: string, text: string): Promise<void>
  setRequestInterception(on: boolean): Promise<void>
  on(event: string, listener: (event: never) => void): void
  exposeFunction(name: string, run: (value: string) => void): Promise<void>
  evaluateOnNewDocument(script: string): Promise<unknown>
  setViewport(viewport: object): Promise<void>
  locator(selector: string): { fill(text: string): Promise<void>; click(): Promise<void> }
  waitForSelector(selector: string): Promise<unknown>
  keyboard: { press(key: string): Promise<void> }
  $eval<Value>(selector: string, read: (element: never) => Value): Promise<Value>
  close(): Promise<void>
}

export interface PuppeteerBrowser {
  newPage(): Promise<PuppeteerPage>
  pages(): Promise<PuppeteerPage[]>
  createBrowserContext(): Promise<{ newPage(): Promise<PuppeteerPage>; close(): Promise<void> }>
  version(): Promise<string>
  close(): Promise<void>
  disconnect(): Promise<void>
}

interface Puppeteer {
  connect(options: {
    browserWSEndpoint?: string
    browserURL?: string
    protocolTimeout?: number
  }): Promise<PuppeteerBrowser>
}

interface SteelSession {
  id: string
  status: string
  websocketUrl: string
}

/** The part of the interface of Steel's client that the tests use. */
interface Steel {
  sessions: {
    create(options?: object): Promise<SteelSession>
    retrieve(id: string): Promise<SteelSession>
    release(id: string, options?: object): Promise<{ success: boolean }>
    releaseAll(options?: object): Promise<{ success: boolean }>
  }
}

export const steel = (baseURL: string, steelAPIKey: string): Steel => {
  const { Steel: Client } = required<{ Steel: new (options: object) => Steel }>('steel-sdk')
  return new Client({ baseURL, steelAPIKey, maxRetries: 0 })
}

/** Descriptions of devices, as Playwright's examples use them. */
export const playwrightDevices = (): Record<string, object> =>
  required<{ devices: Record<string, object> }>('playwright-core').devices

export const puppeteer = (): Puppeteer => required<{ default: Puppeteer }>('puppeteer-core').default

/** A service, and a site that it may fetch. */
export class BrowserService implements AsyncDisposable {
  readonly service: TestService
  readonly site: ListeningSite

  private constructor(service: TestService, site: ListeningSite) {
    this.service = service
    this.site = site
  }

  static async open(
    pages: Record<string, Served>,
    { settings, ...options }: TestServiceOptions = {},
  ): Promise<BrowserService> {
    const site = await ListeningSite.open(pages)
    const service = await TestService.open({
      ...options,
      settings: {
        ...{ allowPrivate: [site.place], rate: 'unlimited', browserPoolSize: 4 },
        ...settings,
      } as TestServiceOptions['settings'] & object,
    })
    return new BrowserService(service, site)
  }

  /** The address of a WebSocket, like `ws://127.0.0.1:4711/cdp?token=…`. */
  endpoint(path = '/cdp', query: Record<string, string> = {}): string {
    const url = new URL(path, this.service.url.replace(/^http/, 'ws'))
    for (const [name, value] of Object.entries({ token: operatorKey, ...query }))
      url.searchParams.set(name, value)
    return url.href
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.service[Symbol.asyncDispose]()
    await this.site[Symbol.asyncDispose]()
  }
}

/** The browser processes that this process started: the names of their profile folders contain its pid. */
export const ownBrowsers = (): number[] =>
  allPids().filter(pid => commandLineOf(pid).includes(`kscrape-browser-${process.pid}-`))
