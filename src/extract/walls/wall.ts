// A wall: something that stands where the page should be. Seen and reported with what gave it away, never fought.
import type { FailureCode } from '../../model/failures.ts'
import type { HeaderList } from '../../model/page/page.ts'
import type { FlatDocument } from '../document/index.ts'

export type WallCode = Extract<
  FailureCode,
  | 'blocked.captcha'
  | 'blocked.login'
  | 'blocked.consent'
  | 'blocked.refused'
  | 'host.throttled'
  | 'page.soft-not-found'
>

export interface Wall {
  code: WallCode
  /** What gave it away, most telling first; words for people, no secrets and no bodies. */
  evidence: string[]
  /** Whose wall it is, where that shows. */
  vendor?: string
}

/** An answer, plain or rendered. */
export interface Answer {
  /** As asked for. */
  url: string
  finalUrl: string
  status: number
  headers: HeaderList
  source: string
  /** Asked for only where the rest does not decide it. */
  document: () => FlatDocument
}

export const wall = (code: WallCode, evidence: string[], vendor?: string | null): Wall => ({
  code,
  evidence,
  ...(vendor ? { vendor } : {}),
})
