// A browser process lent to one client of the DevTools protocol. The client gets its own protocol session. Every
// command passes the filter, and our guard is active in each page. All contexts of the process use one proxy: the
// egress gate.
import { jsonExcess } from '../../../lib/json/json-scan.ts'
import { asFailure, Failure } from '../../../model/failures.ts'
import type { Identity, StorageState } from '../../../model/policy/rendering.ts'
import { limitOf, raced } from '../bounded.ts'
import { connectTo } from '../cdp/connect.ts'
import { type Connection, type Incoming, messageLimits } from '../cdp/connection.ts'
import { notStarted } from '../cdp/driver.ts'
import { type BrowserProcess, startProcess } from '../cdp/process.ts'
import type { EventOf } from '../cdp/protocol.ts'
import type { LaunchOptions } from '../driver.ts'
import { endGroup } from '../pool/processes.ts'
import type { ClientConsents } from './client-consents.ts'
import { GuardedPage, refusedDocument } from './guarded-page.ts'
import { LentState } from './lent-state.ts'
import { decide, type Params } from './protocol-filter.ts'

export interface LentClient {
  send(text: string): void
  /** Called when the client closes the browser. */
  closed(): void
}

export interface LentRules {
  /** Awaited before a tab loads another document. Rejects with the Failure that forbids it. */
  beforeDocument: (url: string) => Promise<void>
  /** Number of pages that can be open at the same time. */
  maxPages: number
  consents: ClientConsents
}

interface Command {
  id?: unknown
  method?: unknown
  params?: unknown
  sessionId?: unknown
}

export class LentBrowser {
  readonly #process: BrowserProcess
  readonly #connection: Connection
  readonly #sessions = new Set<string>()
  readonly #pages = new Map<string, GuardedPage>()
  readonly #paused = new PausedRequests()
  readonly gone: Promise<void>
  version = ''
  #rules: LentRules | null = null
  #client: LentClient | null = null
  #clientSession = ''
  #identity: Identity | null = null
  #state: LentState | null = null
  /** Commands of the client that wait until the guard is active, or while a person controls the page. Null while
   *  commands are executed at once. */
  #held: Array<{ text: string; handled: () => void }> | null = []
  #pagesOpened = 0
  #firstPage: string | undefined
  /** Number of pages that the client has requested and that are not attached yet. */
  #opening = 0
  #defaultContext: string | undefined

  private constructor(process: BrowserProcess) {
    this.#process = process
    const { connection, gone } = connectTo(process)
    this.#connection = connection
    connection.onEvent = message => this.#relay(message)
    this.gone = gone.then(() => {})
  }

  static async launch(
    options: Omit<LaunchOptions, 'headless'> & { proxyPort: number },
  ): Promise<LentBrowser> {
    const process = await startProcess({
      ...options,
      // Sets the proxy for the whole process, so that contexts opened by the client use it too.
      args: [
        ...options.args,
        `--proxy-server=http://127.0.0.1:${options.proxyPort}`,
        '--proxy-bypass-list=<-loopback>',
      ],
    })
    const browser = new LentBrowser(process)
    using limit = limitOf(options.timeoutMs, notStarted(options, process))
    try {
      const { product } = await raced(browser.#connection.browser.send('Browser.getVersion'), limit.signal)
      browser.version = product.slice(product.indexOf('/') + 1)
      return browser
    } catch (cause) {
      await endGroup(process.pid)
      throw cause instanceof Failure ? cause : notStarted(options, process, cause)
    }
  }

  get pid(): number {
    return this.#process.pid
  }

  get pages(): readonly GuardedPage[] {
    return [...this.#pages.values()]
  }

  get #countedPages(): number {
    return this.#pages.size - (this.#firstPage && this.#pages.has(this.#firstPage) ? 1 : 0)
  }

  get pagesOpened(): number {
    return this.#pagesOpened
  }

  /** Installs the guard, restores the saved login, and connects the client. */
  async begin(
    rules: LentRules,
    client: LentClient,
    { identity, state }: { identity: Identity; state: StorageState | null },
  ): Promise<void> {
    const { browser } = this.#connection
    this.#rules = rules
    this.#identity = identity
    this.#state = new LentState(browser, state)
    browser.on('Target.attachedToTarget', event => void this.#attached(event))
    browser.on('Target.detachedFromTarget', ({ sessionId }) => this.#pages.delete(sessionId))
    browser.on('Target.targetInfoChanged', ({ targetInfo }) => {
      for (const page of this.#pages.values()) page.changed(targetInfo)
    })
    await Promise.all([
      browser.send('Browser.setDownloadBehavior', { behavior: 'deny', eventsEnabled: true }),
      this.#state.restoreCookies(),
      browser.send('Target.setDiscoverTargets', { discover: true, filter: [{ type: 'page' }] }),
      browser.send('Target.setAutoAttach', {
        ...{ autoAttach: true, waitForDebuggerOnStart: true, flatten: true },
      }),
    ])
    const { defaultBrowserContextId } = await browser.send('Target.getBrowserContexts')
    this.#defaultContext = defaultBrowserContextId
    const { sessionId } = await browser.send('Target.attachToBrowserTarget')
    this.#clientSession = sessionId
    this.#sessions.add(sessionId)
    this.#client = client
    this.hold(false)
  }

  /** Every new target is paused until its guard is active, even if the client resumes the target before that. */
  async #attached({ sessionId, targetInfo }: EventOf<'Target.attachedToTarget'>): Promise<void> {
    const session = this.#connection.session(sessionId)
    try {
      const guarded = targetInfo.type === 'page' ? this.#guard(sessionId, targetInfo) : null
      // Send the resume command right after the guard's commands, without waiting for their responses. The browser runs
      // commands in order, and a pop-up responds to some of them only after it resumes.
      await Promise.all([guarded, session.send('Runtime.runIfWaitingForDebugger')])
    } catch {
      // Close the page: a target without a guard must not run. If the target is already closed, this does nothing.
      if (targetInfo.type === 'page') this.#close(targetInfo.targetId)
    }
  }

  async #guard(sessionId: string, info: EventOf<'Target.attachedToTarget'>['targetInfo']): Promise<void> {
    const { maxPages, beforeDocument } = this.#rules!
    // The browser opens a first, blank page by itself. That page does not count for the limit.
    if (this.#client === null) this.#firstPage ??= sessionId
    else if (this.#countedPages >= maxPages) return this.#close(info.targetId)
    if (sessionId !== this.#firstPage) this.#pagesOpened += 1
    const page = new GuardedPage(this.#connection.session(sessionId), info, beforeDocument)
    this.#pages.set(sessionId, page)
    await Promise.all([page.begin(this.#identity!), this.#state!.restoreInto(page)])
  }

  #close(targetId: string): void {
    this.#connection.browser.send('Target.closeTarget', { targetId }).catch(() => {})
  }

  /** Handles a message of the client. The promise resolves when the message is handled. */
  receive(text: string): void | Promise<void> {
    const held = this.#held
    if (held) return new Promise(handled => void held.push({ text, handled }))
    this.#handle(text)
  }

  /** Delays the client's commands while `isHeld` is true, so that a person can control the page. */
  hold(isHeld: boolean): void {
    const waiting = this.#held ?? []
    this.#held = isHeld ? waiting : null
    if (isHeld) return
    for (const { text, handled } of waiting) {
      this.#handle(text)
      handled()
    }
  }

  get isHeld(): boolean {
    return this.#held !== null
  }

  #handle(text: string): void {
    const command = parsed(text)
    const { id, method, sessionId } = command ?? {}
    const answer = (reply: object) => this.#answer(id, sessionId, reply)
    const refuse = (message: string, code = -32000) => answer({ error: { code, message } })
    if (typeof id !== 'number' || typeof method !== 'string')
      return void refuse(
        'The message is not a command with an id and a method, or it has too many values',
        -32600,
      )
    const session = sessionId === undefined ? this.#clientSession : sessionId
    if (typeof session !== 'string' || !this.#sessions.has(session))
      return void refuse('Session with given id not found.', -32001)
    const params = paramsOf(command!)
    if (params === null) return void refuse('params: must be an object', -32602)
    const decision = decide(method, params, {
      isOwnSession: named => typeof named === 'string' && this.#sessions.has(named),
      headersOf: requestId => this.#paused.headersOf(requestId),
      ...this.#rules!.consents,
    })
    if (decision.is === 'refuse') return void refuse(decision.message)
    if (decision.is === 'close') {
      answer({ result: {} })
      setImmediate(() => this.#client?.closed())
      return
    }
    if (method === 'Target.createTarget') {
      if (this.#countedPages + this.#opening >= this.#rules!.maxPages)
        return void refuse(tooManyPages(this.#rules!.maxPages))
      this.#opening += 1
    }
    const pass = () =>
      this.#connection.raw(session, method, decision.params, reply => {
        if (method === 'Target.createTarget') this.#opening -= 1
        answer(reply)
      })
    if (decision.url === undefined) return void pass()
    this.#rules!.beforeDocument(decision.url).then(pass, error => {
      const refused = refusedDocument(String(params.requestId), asFailure(error))
      this.#connection.raw(session, 'Fetch.fulfillRequest', refused, answer)
    })
  }

  #answer(id: unknown, sessionId: unknown, reply: object): void {
    this.#client?.send(JSON.stringify({ id, ...(sessionId !== undefined && { sessionId }), ...reply }))
  }

  /** Passes events of the client's sessions to the client. Sessions that the browser opens for the client are added to
   *  them. */
  #relay(message: Incoming): void {
    const { sessionId, method, params } = message
    if (sessionId === undefined || !this.#sessions.has(sessionId)) return
    if (method === 'Target.attachedToTarget') this.#sessions.add((params as { sessionId: string }).sessionId)
    if (method === 'Fetch.requestPaused') this.#paused.add(params as EventOf<'Fetch.requestPaused'>)
    const { sessionId: _own, ...ofBrowser } = message
    this.#client?.send(JSON.stringify(sessionId === this.#clientSession ? ofBrowser : message))
    if (method === 'Target.detachedFromTarget')
      this.#sessions.delete((params as { sessionId: string }).sessionId)
  }

  /** The current cookies and local storage of the default context. If the client uses only contexts of its own, returns
   *  those of its first context. */
  state(): Promise<StorageState> {
    const contexts = this.pages.map(page => page.browserContextId)
    // Clients of Playwright's protocol see only contexts that they opened.
    const own = contexts.find(id => id !== this.#defaultContext)
    return this.#state!.read(this.pages, contexts.includes(this.#defaultContext) ? undefined : own)
  }

  async close(): Promise<void> {
    this.#client = null
    await this.#connection.browser.send('Browser.close').catch(() => {})
    await this.gone
  }
}

/** The parameters of the command; null if they are not an object. */
function paramsOf({ params = {} }: Command): Params | null {
  if (params === null) return {}
  return typeof params === 'object' && !Array.isArray(params) ? (params as Params) : null
}

/** The parsed command; null if the text is not an object or is too large to parse. */
function parsed(text: string): Command | null {
  try {
    if (jsonExcess(text, messageLimits)) return null
    const value: unknown = JSON.parse(text)
    return typeof value === 'object' && value !== null ? (value as Command) : null
  } catch {
    return null
  }
}

const tooManyPages = (maxPages: number): string =>
  `this connection may open at most ${maxPages} pages at a time; close one first`

type Headers = Readonly<Record<string, string>>

/** Maximum number of stored requests. If a client answers none of its requests, the oldest ones are dropped. */
const mostRequests = 1_000

/** The original headers of requests that wait for the client, by request id. The filter compares them with the headers
 *  that the client sends. */
class PausedRequests {
  readonly #headers = new Map<unknown, Headers>()

  add({ requestId, request }: Pick<EventOf<'Fetch.requestPaused'>, 'requestId' | 'request'>): void {
    this.#headers.delete(requestId)
    this.#headers.set(requestId, request.headers)
    const [oldest] = this.#headers.keys()
    if (this.#headers.size > mostRequests) this.#headers.delete(oldest)
  }

  headersOf(requestId: unknown): Headers {
    return this.#headers.get(requestId) ?? {}
  }
}
