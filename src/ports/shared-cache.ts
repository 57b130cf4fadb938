// SharedCache: what processes remember for each other, for a while. A hint: any of it may be gone, and nobody waits for it.

export interface SharedCache extends AsyncDisposable {
  /** Null when it is not there, too old, or can't be had at once. */
  get(key: string): Promise<string | null>
  /** As far as possible; never rejects. */
  set(key: string, value: string, forMs: number): Promise<void>
}
