// SharedCache: short-lived values shared by processes. Best effort: any value may be missing, and no caller waits for the cache.

export interface SharedCache extends AsyncDisposable {
  /** Null if the value is missing, expired, or not available at once. */
  get(key: string): Promise<string | null>
  /** Best effort. Never rejects. */
  set(key: string, value: string, forMs: number): Promise<void>
}
