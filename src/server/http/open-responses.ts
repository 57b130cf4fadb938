// Tracks open responses and connections by key. When a key is revoked, its responses end within a second.
import { type Caller, operatorKeyId } from '../../model/access.ts'
import type { KeyStore } from '../../ports/service-stores.ts'

/** Milliseconds between two checks for revoked keys. A stream must end within a second after its key was revoked. */
const lookEveryMs = 500

export class OpenResponses implements Disposable {
  readonly #keys: Pick<KeyStore, 'get'>
  readonly #open = new Map<string, Set<() => void>>()
  /** Set while a response is open. */
  #timer: NodeJS.Timeout | null = null
  #isLooking = false

  constructor(keys: Pick<KeyStore, 'get'>) {
    this.#keys = keys
  }

  /** Calls `end` if the caller's key is revoked before the returned function is called. */
  keep({ keyId }: Caller, end: () => void): () => void {
    // The operator's key is a setting and cannot be revoked, so nothing is tracked.
    if (keyId === operatorKeyId) return () => {}
    const ends = this.#open.get(keyId) ?? new Set()
    this.#open.set(keyId, ends.add(end))
    this.#timer ??= setInterval(() => void this.#look(), lookEveryMs).unref()
    return () => {
      ends.delete(end)
      if (ends.size === 0 && this.#open.get(keyId) === ends) this.#open.delete(keyId)
      if (this.#open.size === 0) this.#stopLooking()
    }
  }

  /** Reads the keys from the store, because another process may have revoked one. */
  async #look(): Promise<void> {
    if (this.#isLooking) return
    this.#isLooking = true
    try {
      for (const [keyId, ends] of [...this.#open])
        if (await this.#isRevoked(keyId)) for (const end of [...ends]) end()
    } finally {
      this.#isLooking = false
    }
  }

  /** If the store is not available, the key counts as valid and its responses stay open. */
  async #isRevoked(keyId: string): Promise<boolean> {
    const key = await this.#keys.get(keyId).catch(() => undefined)
    return key === null || (key !== undefined && key.revokedAt !== null)
  }

  [Symbol.dispose](): void {
    this.#stopLooking()
  }

  #stopLooking(): void {
    if (this.#timer) clearInterval(this.#timer)
    this.#timer = null
  }
}
