// One tab: loads pages one after another, waits as requested, and reads them.
import { Failure } from '../../../model/failures.ts'
import type { PageParts } from '../../../model/page/page-parts.ts'
import { limitWithin, raced } from '../bounded.ts'
import type { LoadRequest } from '../driver.ts'
import { restAfterLoad } from '../rest-after-load.ts'
import { type Settled, type SettleLimits, Settling } from '../settling.ts'
import { CommandError, type Session } from './connection.ts'
import { navigationFailure } from './navigation-failure.ts'
import { type ReadPage, readScript, scrollScript, waitForScript } from './page-scripts.ts'
import type { PageWatch } from './page-watch.ts'
import type { EvaluateResult } from './protocol.ts'
import { activityScript, type PageActivity } from './settle-scripts.ts'
import { TrafficRecorder } from './traffic-recorder.ts'

/** How long the network must be quiet for `networkidle`. */
const idleMs = 500
/** Maximum number of repeated checks of a ready page. A check is repeated if the network was active during it. */
const mostLateLooks = 5
/** Interval between checks while a page is not ready. */
const lookMs = 50
/** Longest wait for new content after each scroll step. */
const scrollSettleMs = 5_000

/** Types of requests that can still add content. Fetch and XHR are not listed, because a script in the page tracks them
 *  and can detect polling. */
const bringers: ReadonlySet<string> = new Set(['Script', 'Document', 'Stylesheet'])
const allBringers: ReadonlySet<string> = new Set([...bringers, 'Fetch', 'XHR'])
/** Longest wait in ms for images after the document has loaded. Also the longest wait for a page that never becomes
 *  quiet. */
const patienceMs = 10_000
const maxScreens = 50
/** A limit longer than any deadline of a task, so the deadline always ends the wait first. */
const longestMs = 3_600_000

export type Arrival = 'document' | 'download' | 'nothing'

export class Tab {
  readonly targetId: string
  readonly session: Session
  readonly watch: PageWatch
  readonly recorder: TrafficRecorder
  /** True if none of our scripts runs in the page, so that its timers and requests are unknown. */
  readonly isBlind: boolean

  constructor(targetId: string, session: Session, watch: PageWatch, { isBlind = false } = {}) {
    this.targetId = targetId
    this.session = session
    this.watch = watch
    this.recorder = new TrafficRecorder(session)
    this.isBlind = isBlind
  }

  /** Resolves when the new document has arrived, or when the navigation turned into a download or an empty response. */
  async navigate(url: string, signal: AbortSignal): Promise<Arrival> {
    const answer = await this.#alive(this.session.send('Page.navigate', { url }), signal)
    if (answer.errorText === undefined) return 'document'
    if (answer.isDownload === true) return 'download'
    // A response without a body is valid. Depending on the status, Chromium then shows its own error page or stays on
    // the old page.
    if (this.watch.document.status >= 200 && /HTTP_RESPONSE_CODE_FAILURE|ABORTED/.test(answer.errorText))
      return 'nothing'
    throw navigationFailure(answer.errorText, url)
  }

  /** Waits as the request says. If the request only waits for a selector and reads, one script does both. This saves a
   *  round trip. */
  async settleAndRead(
    request: LoadRequest,
    signal: AbortSignal,
  ): Promise<{ settled: Settled; read: ReadPage | null }> {
    const { waitFor, scroll, js, screenshot, pdf } = request.rendering
    const isOnlyRead = scroll === false && js === undefined && !screenshot && !pdf
    const selector = selectorOf(waitFor)
    if (isOnlyRead && selector !== null)
      return { settled: 'content', read: await this.#appeared(selector, request.maxBytes, signal) }
    return { settled: await this.settle(request, signal), read: null }
  }

  async settle(request: LoadRequest, signal: AbortSignal): Promise<Settled> {
    const { waitFor } = request.rendering
    const selector = selectorOf(waitFor)
    if (selector !== null) {
      await this.#appeared(selector, null, signal)
      return 'content'
    }
    await raced(
      this.watch.until(() => this.watch.hasDomContent),
      signal,
    )
    const { settleMs, required = [] } = request
    const isIdle = waitFor === 'networkidle'
    const settled = await this.#settled({ settleMs, ...(isIdle && { restMs: idleMs }) }, required, signal)
    const restMs = restAfterLoad(waitFor, Math.random)
    if (restMs > 0) await this.#alive(timer(restMs), signal)
    return settled
  }

  /** Checks the page repeatedly until it has settled with content, or until the limit of the wait. */
  async #settled(limits: SettleLimits, required: readonly string[], signal: AbortSignal): Promise<Settled> {
    const settling = new Settling({ ...limits, isBlind: this.isBlind }, performance.now())
    const script = activityScript(required)
    const types = this.isBlind ? allBringers : bringers
    for (let late = 0; ; ) {
      const { activity } = this.watch
      const page = await this.#evaluateInDocument(script, signal)
      // Messages arrive in order, so all events before this response have been processed.
      const network = { inFlight: this.watch.inFlightOf(types), activity, isLoaded: this.watch.hasLoaded }
      const settled = settling.look(page as PageActivity, network, performance.now())
      // If requests started during the check, check again. The number of repeats is limited, because some pages send
      // beacons forever.
      const isCurrent = this.watch.activity === activity || settled === null || ++late > mostLateLooks
      if (settled !== null && isCurrent && this.watch.hasDomContent) return settled
      if (settled === 'deadline') return settled
      await this.#alive(timer(lookMs), signal)
    }
  }

  async #appeared(selector: string, maxBytes: number | null, signal: AbortSignal): Promise<ReadPage | null> {
    const appears = waitForScript(selector, longestMs)
    const script =
      maxBytes === null ? `${appears}.then(() => null)` : `${appears}.then(() => ${readScript(maxBytes)})`
    const read = (await this.#inDocument(signal, () =>
      this.#ask(selector, script, signal),
    )) as ReadPage | null
    return read === null ? null : checked(read, maxBytes!)
  }

  async #ask(selector: string, script: string, signal: AbortSignal): Promise<unknown> {
    try {
      return await this.evaluate(script, signal)
    } catch (error) {
      if (!(error instanceof ScriptError && /not a valid selector/.test(error.message))) throw error
      throw new Failure(
        'input.invalid',
        `"${selector}" is not a CSS selector`,
        { selector },
        { cause: error },
      )
    }
  }

  /** Waits for images and fonts too. Needed for screenshots. */
  async painted(signal: AbortSignal): Promise<void> {
    await this.#loaded(signal)
  }

  /** Everything that the page loaded. Waits for images that are still loading. Null if nothing was recorded. */
  async loadedParts(signal: AbortSignal): Promise<PageParts | null> {
    if (!this.recorder.isOn) return null
    await this.#patiently(() => this.watch.hasLoaded && this.watch.inFlight === 0, signal).catch(() => {})
    return this.recorder.finish()
  }

  waitFor(selector: string, timeoutMs: number, signal: AbortSignal): Promise<boolean> {
    const endsAt = performance.now() + timeoutMs
    return this.#inDocument(signal, async () => {
      const leftMs = Math.max(0, Math.ceil(endsAt - performance.now()))
      return (await this.#ask(selector, waitForScript(selector, leftMs), signal)) as boolean
    })
  }

  /** Scrolls down by one window height at a time, until the page ends and no longer grows, or a limit of `options` is
   *  reached. Resolves with the number of times the page grew. */
  async scroll(
    options: { times: number; until?: string; timeoutMs: number },
    signal: AbortSignal,
  ): Promise<number> {
    const endsAt = performance.now() + options.timeoutMs
    let grown = 0
    let lastHeight = 0
    for (let step = 0; step < options.times && performance.now() < endsAt; step++) {
      const { height, isAtEnd } = (await this.#evaluateInDocument(scrollScript, signal)) as {
        height: number
        isAtEnd: boolean
      }
      await this.#settled({ settleMs: scrollSettleMs }, [], signal)
      if (step > 0 && height > lastHeight) grown++
      if (options.until !== undefined && (await this.waitFor(options.until, 0, signal))) break
      if (isAtEnd && !(await this.#grewSince(height, signal))) break
      lastHeight = height
    }
    return grown
  }

  async #grewSince(height: number, signal: AbortSignal): Promise<boolean> {
    const script = 'document.documentElement.scrollHeight'
    return ((await this.#evaluateInDocument(script, signal)) as number) > height
  }

  /** Reads the complete page. Retries while the page navigates. After the timeout, reads the part that has loaded. */
  async read(maxBytes: number, signal: AbortSignal): Promise<ReadPage> {
    const endsAt = performance.now() + patienceMs
    for (;;) {
      await this.#patiently(() => this.watch.isWhole, signal)
      const read = await this.#evaluateInDocument(readScript(maxBytes), signal)
      if (this.watch.isWhole || performance.now() >= endsAt) return checked(read as ReadPage, maxBytes)
    }
  }

  /** Reads the markup at once, whatever the state of the page. */
  async markup(signal: AbortSignal): Promise<ReadPage> {
    const params = { expression: readScript(Number.MAX_SAFE_INTEGER), returnByValue: true }
    const { result } = await raced(this.session.send('Runtime.evaluate', params), signal)
    return result.value as ReadPage
  }

  async evaluate(expression: string, signal: AbortSignal): Promise<unknown> {
    const params = { expression, returnByValue: true, awaitPromise: true }
    const answer = await this.#alive(this.session.send('Runtime.evaluate', params), signal)
    if (answer.exceptionDetails !== undefined) throw new ScriptError(answer.exceptionDetails)
    return answer.result.value
  }

  #evaluateInDocument(expression: string, signal: AbortSignal): Promise<unknown> {
    return this.#inDocument(signal, () => this.evaluate(expression, signal))
  }

  async #loaded(signal: AbortSignal): Promise<void> {
    await raced(
      this.watch.until(() => this.watch.hasDomContent),
      signal,
    )
    await this.#patiently(() => this.watch.hasDomContent && this.watch.hasLoaded, signal)
  }

  async #patiently(isDone: () => boolean, signal: AbortSignal): Promise<void> {
    using limit = limitWithin(signal, patienceMs, new Impatience())
    const until = raced(this.watch.until(isDone), limit.signal)
    await until.catch(error => {
      if (!(error instanceof Impatience)) throw error
    })
  }

  /** Retries in the next document if the page navigates. `PageWatch` fails pages that navigate too often. */
  async #inDocument<Value>(signal: AbortSignal, work: () => Promise<Value>): Promise<Value> {
    for (;;) {
      try {
        return await work()
      } catch (error) {
        if (!isLeftBehind(error)) throw error
        await this.#loaded(signal)
      }
    }
  }

  #alive<Value>(work: Promise<Value>, signal: AbortSignal): Promise<Value> {
    return raced(Promise.race([work, this.watch.broken]), signal)
  }
}

const selectorOf = (waitFor: LoadRequest['rendering']['waitFor']): string | null =>
  typeof waitFor === 'string' && waitFor !== 'networkidle' ? waitFor : null

export const scrollTimes = (scroll: boolean | number): number =>
  typeof scroll === 'number' ? scroll : maxScreens

function checked(read: ReadPage, maxBytes: number): ReadPage {
  if (read.length <= maxBytes) return read
  const message = `${read.url} has markup of ${read.length} characters, more than ${maxBytes}; raise max_bytes in the policy`
  throw new Failure('body.too-large', message, { url: read.url, maxBytes })
}

class Impatience extends Error {}

/** A script that was evaluated in the page threw an error. */
export class ScriptError extends Error {
  constructor({ text, exception }: NonNullable<EvaluateResult['exceptionDetails']>) {
    super(exception?.description ?? (exception?.value === undefined ? text : String(exception.value)))
    this.name = 'ScriptError'
  }
}

const isLeftBehind = (error: unknown): boolean =>
  error instanceof CommandError && /context|navigated|Promise was collected/i.test(error.message)

const timer = (ms: number) => new Promise<void>(resolve => setTimeout(resolve, ms))
