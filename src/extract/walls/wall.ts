// A wall is a page that is shown instead of the content. Walls are detected and reported with evidence, never bypassed.
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
  /** Evidence, strongest first. Readable text, without secrets and without page bodies. */
  evidence: string[]
  /** The vendor of the wall, if known. */
  vendor?: string
}

/** A response, received by plain HTTP or from a browser. */
export interface Answer {
  /** The requested URL. It may differ from `finalUrl` after redirects. */
  url: string
  finalUrl: string
  status: number
  headers: HeaderList
  source: string
  /** Parses the page. Called only if the other facts are not enough to decide. */
  document: () => FlatDocument
}

export const wall = (code: WallCode, evidence: string[], vendor?: string | null): Wall => ({
  code,
  evidence,
  ...(vendor ? { vendor } : {}),
})
