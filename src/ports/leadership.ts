// Leadership: of several processes that could do a thing, one does it.

/** One's turn. It is over when `lost` says so, and nothing that was written under its token counts after that. */
export interface Term extends AsyncDisposable {
  readonly token: number
  readonly lost: AbortSignal
}

export interface Leadership {
  /** Waits for one's turn; null when the signal came first. */
  lead(signal: AbortSignal): Promise<Term | null>
}
