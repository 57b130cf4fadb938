// The saved login of a lent browser: cookies and local storage of its default context. It is restored at the start and
// can be read at any time.
import type { StorageState } from '../../../model/policy/rendering.ts'
import type { Session } from '../cdp/connection.ts'
import { restoreScript } from '../cdp/page-scripts.ts'
import { storageStateOf } from '../cdp/storage.ts'
import type { GuardedPage } from './guarded-page.ts'

type Items = StorageState['origins'][number]['localStorage']

/** Evaluates to the local storage of the page; null if the page cannot access it. */
const localScript = `(() => {
  try { return { origin: location.origin, items: Object.entries(localStorage).map(([name, value]) => ({ name, value })) } } catch { return null }
})()`

export class LentState {
  readonly #browser: Session
  readonly #given: StorageState | null
  readonly #local: Map<string, Items>
  /** Origins for which a page of the client has received the saved storage. Their saved values must not return after a
   *  logout. */
  readonly #read = new Set<string>()

  constructor(browser: Session, given: StorageState | null) {
    this.#browser = browser
    this.#given = given
    this.#local = new Map(given?.origins.map(({ origin, localStorage }) => [origin, localStorage]))
  }

  async restoreCookies(): Promise<void> {
    const cookies = this.#given?.cookies ?? []
    if (cookies.length > 0) await this.#browser.send('Storage.setCookies', { cookies })
  }

  async restoreInto({ session }: GuardedPage): Promise<void> {
    const waiting = [...this.#local].filter(([origin]) => !this.#read.has(origin))
    if (waiting.length === 0) return
    const source = restoreScript(Object.fromEntries(waiting))
    const { identifier } = await session.send('Page.addScriptToEvaluateOnNewDocument', { source })
    // Restore only once per origin: a reload must not undo changes of the page.
    const off = session.on('Page.frameNavigated', ({ frame }) => {
      const origin = frame.parentId === undefined ? URL.parse(frame.url)?.origin : undefined
      if (origin === undefined || !this.#local.has(origin)) return
      this.#read.add(origin)
      off()
      session.send('Page.removeScriptToEvaluateOnNewDocument', { identifier }).catch(() => {})
      void this.restoreInto({ session } as GuardedPage).catch(() => {})
    })
  }

  /** Reads the state of the context with this id, or of the default context if no id is given. */
  async read(pages: readonly GuardedPage[], browserContextId?: string): Promise<StorageState> {
    const { cookies } = await this.#browser.send(
      'Storage.getCookies',
      browserContextId ? { browserContextId } : {},
    )
    await Promise.all(pages.map(page => this.#readLocal(page)))
    return storageStateOf(cookies, this.#local)
  }

  async #readLocal({ session }: GuardedPage): Promise<void> {
    const params = { expression: localScript, returnByValue: true }
    const answer = await session.send('Runtime.evaluate', params).catch(() => null)
    const found = answer?.result.value as { origin: string; items: Items } | null | undefined
    if (found && found.origin !== 'null') this.#local.set(found.origin, found.items)
  }
}
