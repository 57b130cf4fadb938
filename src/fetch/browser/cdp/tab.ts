// One tab: loads pages one after another, waits as asked, and reads what came of them.
import { Failure } from '../../../model/failures.ts'
import { limitWithin, raced } from '../bounded.ts'
import type { LoadRequest } from '../driver.ts'
import { restAfterLoad } from '../rest-after-load.ts'
import { CommandError, type Session } from './connection.ts'
import { navigationFailure } from './navigation-failure.ts'
import { type ReadPage, readScript, scrollScript, waitForScript } from './page-scripts.ts'
import type { PageWatch } from './page-watch.ts'
import type { EvaluateResult } from './protocol.ts'

/** How long nothing may be asked for until a page counts as ready. */
const quietMs = 100
const idleMs = 500
/** Longest wait for images and the like after the document is there, and for a page that never falls silent. */
const patienceMs = 10_000
const maxScreens = 50
/** Longer than any deadline, which ends the wait in its stead. */
const longestMs = 3_600_000

export type Arrival = 'document' | 'download' | 'nothing'

export class Tab {
  readonly targetId: string
  readonly session: Session
  readonly watch: PageWatch

  constructor(targetId: string, session: Session, watch: PageWatch) {
    this.targetId = targetId
    this.session = session
    this.watch = watch
  }

  /** Resolves when the new document is there, and says so if it is something else. */
  async navigate(url: string, signal: AbortSignal): Promise<Arrival> {
    const answer = await this.#alive(this.session.send('Page.navigate', { url }), signal)
    if (answer.errorText === undefined) return 'document'
    if (answer.isDownload === true) return 'download'
    // An answer without a body is an answer: Chromium shows an error page of its own for some, stays where it is for others.
    if (this.watch.document.status >= 200 && /HTTP_RESPONSE_CODE_FAILURE|ABORTED/.test(answer.errorText))
      return 'nothing'
    throw navigationFailure(answer.errorText, url)
  }

  /** Waits as asked. Where only a selector is waited for, one script waits and reads: no second round trip. */
  async settleAndRead(request: LoadRequest, signal: AbortSignal): Promise<ReadPage | null> {
    const { waitFor, scroll, js, screenshot, pdf } = request.rendering
    const isOnlyRead = scroll === false && js === undefined && !screenshot && !pdf
    const selector = selectorOf(waitFor)
    if (isOnlyRead && selector !== null) return this.#appeared(selector, request.maxBytes, signal)
    await this.settle(request, signal)
    return null
  }

  async settle({ rendering: { waitFor } }: LoadRequest, signal: AbortSignal): Promise<void> {
    const selector = selectorOf(waitFor)
    if (selector !== null) {
      await this.#appeared(selector, null, signal)
      return
    }
    await this.#loaded(signal)
    await this.#quiet(waitFor === 'networkidle' ? idleMs : quietMs, signal)
    const restMs = restAfterLoad(waitFor, Math.random)
    if (restMs > 0) await this.#alive(timer(restMs), signal)
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

  /** Images and fonts too: for what is looked at, not read. */
  async painted(signal: AbortSignal): Promise<void> {
    await this.#loaded(signal)
  }

  waitFor(selector: string, timeoutMs: number, signal: AbortSignal): Promise<boolean> {
    const endsAt = performance.now() + timeoutMs
    return this.#inDocument(signal, async () => {
      const leftMs = Math.max(0, Math.ceil(endsAt - performance.now()))
      return (await this.#ask(selector, waitForScript(selector, leftMs), signal)) as boolean
    })
  }

  /** Down by one window after another until the page grows no more; resolves with how often it grew. */
  async scroll(
    options: { times: number; until?: string; timeoutMs: number },
    signal: AbortSignal,
  ): Promise<number> {
    const endsAt = performance.now() + options.timeoutMs
    let grown = 0
    let lastHeight = 0
    for (let step = 0; step < options.times && performance.now() < endsAt; step++) {
      const { height, isAtEnd } = (await this.evaluate(scrollScript, signal)) as {
        height: number
        isAtEnd: boolean
      }
      await this.#quiet(quietMs, signal)
      if (step > 0 && height > lastHeight) grown++
      if (options.until !== undefined && (await this.waitFor(options.until, 0, signal))) break
      if (isAtEnd && !(await this.#grewSince(height, signal))) break
      lastHeight = height
    }
    return grown
  }

  async #grewSince(height: number, signal: AbortSignal): Promise<boolean> {
    return ((await this.evaluate('document.documentElement.scrollHeight', signal)) as number) > height
  }

  /** Whole, also where the page goes on to another document just now; as far as it has come when that takes too long. */
  async read(maxBytes: number, signal: AbortSignal): Promise<ReadPage> {
    const endsAt = performance.now() + patienceMs
    for (;;) {
      await this.#patiently(() => this.watch.isWhole, signal)
      const read = await this.#inDocument(signal, () => this.evaluate(readScript(maxBytes), signal))
      if (this.watch.isWhole || performance.now() >= endsAt) return checked(read as ReadPage, maxBytes)
    }
  }

  /** As it is, whatever state it is in. */
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

  async #loaded(signal: AbortSignal): Promise<void> {
    await raced(
      this.watch.until(() => this.watch.hasDomContent),
      signal,
    )
    await this.#patiently(() => this.watch.hasDomContent && this.watch.hasLoaded, signal)
  }

  /** Until nothing was on its way for `forMs`, or patience ends: some pages never fall silent. */
  async #quiet(forMs: number, signal: AbortSignal): Promise<void> {
    const endsAt = performance.now() + patienceMs
    for (let before = -1; before !== this.watch.activity && performance.now() < endsAt; ) {
      await this.#patiently(() => this.watch.inFlight === 0 && this.watch.hasDomContent, signal)
      before = this.watch.activity
      await this.#alive(timer(forMs), signal)
      await this.#heard(signal)
    }
  }

  /** Whatever the page has done so far is known: it may have been too busy to tell, or this process to listen. */
  async #heard(signal: AbortSignal): Promise<void> {
    await this.#inDocument(signal, () => this.evaluate('0', signal))
  }

  async #patiently(isDone: () => boolean, signal: AbortSignal): Promise<void> {
    using limit = limitWithin(signal, patienceMs, new Impatience())
    const until = raced(this.watch.until(isDone), limit.signal)
    await until.catch(error => {
      if (!(error instanceof Impatience)) throw error
    })
  }

  /** Again in the next document when the page went on to it meanwhile; the watch ends pages that never stay. */
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
  const message = `${read.url} has markup of ${read.length} characters, more than ${maxBytes}; max_bytes in the policy raises that`
  throw new Failure('body.too-large', message, { url: read.url, maxBytes })
}

class Impatience extends Error {}

/** The page's own script said no. */
export class ScriptError extends Error {
  constructor({ text, exception }: NonNullable<EvaluateResult['exceptionDetails']>) {
    super(exception?.description ?? (exception?.value === undefined ? text : String(exception.value)))
    this.name = 'ScriptError'
  }
}

const isLeftBehind = (error: unknown): boolean =>
  error instanceof CommandError && /context|navigated|Promise was collected/i.test(error.message)

const timer = (ms: number) => new Promise<void>(resolve => setTimeout(resolve, ms))
