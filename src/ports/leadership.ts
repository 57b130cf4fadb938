// Leadership: one of several processes is the leader.

/** A term as leader. It ends when `lost` aborts. After that, the store rejects writes with the term's token. */
export interface Term extends AsyncDisposable {
  readonly token: number
  readonly lost: AbortSignal
}

export interface Leadership {
  /** Waits until this process is the leader; null if the signal aborts first. */
  lead(signal: AbortSignal): Promise<Term | null>
}
