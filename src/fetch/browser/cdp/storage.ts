// Cookies and local storage of a context: put in at its start, read out at any time.
import type { StorageState } from '../../../model/policy/rendering.ts'
import type { Session } from './connection.ts'
import { type ReadPage, restoreScript } from './page-scripts.ts'

type Items = Array<{ name: string; value: string }>

export class ContextStorage {
  readonly #browser: Session
  readonly #browserContextId: string
  readonly #given: StorageState | null
  /** By origin, as last seen; origins that were not visited stay as they were given. */
  readonly #local: Map<string, Items>
  readonly #seen = new Set<string>()
  /** Given, and not yet in the browser. */
  #waiting: Map<string, Items>
  #script: { session: Session; identifier: string } | null = null

  constructor(browser: Session, browserContextId: string, given: StorageState | null) {
    this.#browser = browser
    this.#browserContextId = browserContextId
    this.#given = given
    this.#local = new Map(given?.origins.map(({ origin, localStorage }) => [origin, localStorage]))
    this.#waiting = new Map(this.#local)
  }

  restoreCookies(): Promise<void> {
    return this.add(this.#given?.cookies ?? [])
  }

  async add(cookies: StorageState['cookies']): Promise<void> {
    if (cookies.length === 0) return
    await this.#browser.send('Storage.setCookies', { cookies, browserContextId: this.#browserContextId })
  }

  async restoreInto(session: Session): Promise<void> {
    if (this.#waiting.size === 0) return
    const source = restoreScript(Object.fromEntries(this.#waiting))
    const { identifier } = await session.send('Page.addScriptToEvaluateOnNewDocument', { source })
    this.#script = { session, identifier }
  }

  /** What a page was read to hold. What was waiting for its origin is in by now, and must not come back after a logout. */
  note({ origin, local }: ReadPage): void {
    if (origin !== 'null') this.#seen.add(origin)
    if (local.length > 0 || this.#local.has(origin)) {
      this.#local.set(
        origin,
        local.map(([name, value]) => ({ name, value })),
      )
    }
    if (this.#waiting.delete(origin)) this.#replaceScript()
  }

  async read(): Promise<StorageState> {
    const { cookies } = await this.#browser.send('Storage.getCookies', {
      browserContextId: this.#browserContextId,
    })
    return {
      cookies: cookies.map(({ name, value, domain, path, expires, httpOnly, secure, sameSite = 'Lax' }) => {
        return { name, value, domain, path, expires, httpOnly, secure, sameSite }
      }),
      origins: [...this.#local]
        .filter(([, items]) => items.length > 0)
        .map(([origin, localStorage]) => ({ origin, localStorage })),
    }
  }

  /** Of every origin that was seen; `session` is a tab's, which alone may clear what its context keeps. */
  async clear(session: Session): Promise<void> {
    await this.#browser.send('Storage.clearCookies', { browserContextId: this.#browserContextId })
    const all = [...this.#seen].map(origin => ({ origin, storageTypes: 'all' }))
    await Promise.all(all.map(params => session.send('Storage.clearDataForOrigin', params)))
    this.#seen.clear()
    this.#local.clear()
    this.#waiting.clear()
    this.#replaceScript()
  }

  #replaceScript(): void {
    const script = this.#script
    this.#script = null
    if (script === null) return
    const { session, identifier } = script
    session.send('Page.removeScriptToEvaluateOnNewDocument', { identifier }).catch(() => {})
    this.restoreInto(session).catch(() => {})
  }
}
