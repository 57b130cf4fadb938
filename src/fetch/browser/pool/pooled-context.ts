// A context of the pool, for one job and session, with its own egress proxy. If it does not respond, closing escalates
// to killing the browser.
import { Failure } from '../../../model/failures.ts'
import type { StorageState } from '../../../model/policy/rendering.ts'
import { doneWithin, limitOf, raced, within } from '../bounded.ts'
import type { DrivenContext } from '../driver.ts'
import type { EgressProxy } from '../egress/egress-proxy.ts'
import type { HeldContext, PooledBrowser } from './pooled-browser.ts'
import { removeFolder } from './profile-folders.ts'

/** Time limit of each step on a context: clear or close its page, read its storage, close it. If closing it takes longer,
 *  its browser is killed. */
const rungMs = 2_000

interface PooledContextParts {
  browser: PooledBrowser<PooledContext>
  key: string
  jobId: string
  driven: DrivenContext
  proxy: EgressProxy
  downloadsDir: string
}

export class PooledContext implements HeldContext {
  readonly browser: PooledBrowser<PooledContext>
  readonly key: string
  readonly jobId: string
  readonly driven: DrivenContext
  readonly proxy: EgressProxy
  readonly downloadsDir: string
  isInUse = true
  idleSince = 0
  #dropped: Promise<void> | null = null

  constructor(parts: PooledContextParts) {
    this.browser = parts.browser
    this.key = parts.key
    this.jobId = parts.jobId
    this.driven = parts.driven
    this.proxy = parts.proxy
    this.downloadsDir = parts.downloadsDir
  }

  /** Clears the context for the next task of the same job and session. False if the context can no longer be used. */
  async makeBlank(isBroken: boolean): Promise<boolean> {
    if (this.browser.phase === 'gone') return false
    const { driven } = this
    if (!isBroken && (await doneWithin(rungMs, driven.clear({ storage: false })))) return true
    return doneWithin(rungMs, driven.closePage())
  }

  /** Closes the context. If that takes too long, kills its browser. */
  async close(): Promise<void> {
    if (this.browser.phase !== 'gone' && (await within(rungMs, this.driven.close())) === 'late') {
      this.browser.hungBecause ??= hung()
      this.browser.kill()
    }
    await this.dropped()
  }

  /** Releases the proxy and the download folder. Idempotent. */
  dropped(): Promise<void> {
    this.#dropped ??= this.#release()
    return this.#dropped
  }

  /** Cookies and storage, for the next context of the session. Null if they cannot be read. */
  async carry(): Promise<StorageState | null> {
    using limit = limitOf(rungMs, new Error('too late'))
    return await raced(this.driven.state(), limit.signal).catch(() => null)
  }

  async #release(): Promise<void> {
    this.browser.contexts.delete(this)
    // If this fails because the browser still writes a file, the file is removed with the browser's folder.
    const removed = removeFolder(this.downloadsDir).catch(() => {})
    await Promise.all([this.proxy[Symbol.asyncDispose](), removed])
  }
}

const hung = () =>
  new Failure('browser.crashed', 'The browser stopped responding and was killed', { scope: 'browser' })
