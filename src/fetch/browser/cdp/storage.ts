// Cookies and local storage of a context. They are restored at its start and can be read at any time.
import type { StorageState } from '../../../model/policy/rendering.ts'
import type { Session } from './connection.ts'
import { type ReadPage, restoreScript } from './page-scripts.ts'
import type { Commands } from './protocol.ts'

type Items = Array<{ name: string; value: string }>

export class ContextStorage {
  readonly #browser: Session
  readonly #browserContextId: string
  readonly #given: StorageState | null
  /** Local storage by origin, as last read. Origins that no page has used keep their restored values. */
  readonly #local: Map<string, Items>
  readonly #seen = new Set<string>()
  /** Restored values that no page has received yet, by origin. */
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

  /** Stores the local storage of a page that was read. Pending restored values of its origin are discarded, so that
   *  they do not return after a logout. */
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
    return storageStateOf(cookies, this.#local)
  }

  /** Clears all origins that pages have used. The protocol allows this only through the session of a tab in the
   *  context. */
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

export const storageStateOf = (
  cookies: Commands['Storage.getCookies']['result']['cookies'],
  local: ReadonlyMap<string, Items>,
): StorageState => ({
  cookies: cookies.map(({ name, value, domain, path, expires, httpOnly, secure, sameSite = 'Lax' }) => {
    return { name, value, domain, path, expires, httpOnly, secure, sameSite }
  }),
  origins: [...local]
    .filter(([, items]) => items.length > 0)
    .map(([origin, localStorage]) => ({ origin, localStorage })),
})
