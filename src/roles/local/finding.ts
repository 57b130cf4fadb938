// What an examination of this machine finds, one thing at a time.

export interface Finding {
  name: string
  /** `missing`: something optional is not there; the rest works. */
  verdict: 'ok' | 'missing' | 'broken'
  note: string
  fix?: string
}
