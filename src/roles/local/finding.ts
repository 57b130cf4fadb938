// One result of a machine check.

export interface Finding {
  name: string
  /** `missing`: something optional is absent, and everything else works. */
  verdict: 'ok' | 'missing' | 'broken'
  note: string
  fix?: string
}
