// A wall is a page that is shown instead of the content. Walls are detected and reported with evidence, never bypassed.
import { Failure, type FailureCode } from '../../model/failures.ts'
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

const sentences: Record<WallCode, string> = {
  'blocked.captcha': 'asks whether the visitor is human',
  'blocked.login': 'requires a login',
  'blocked.consent': 'requires consent before it shows content',
  'blocked.refused': 'refused us',
  'host.throttled': 'says that we send too many requests',
  'page.soft-not-found': 'says that the page does not exist',
}

/** `details` contains facts from the response, such as how long to wait. */
export function wallFailure(
  { code, evidence, vendor }: Wall,
  page: { url: string; status: number },
  details: Record<string, unknown> = {},
): Failure {
  const message = `${page.url} ${sentences[code]}: ${evidence.join(', ')}`
  return new Failure(code, message, { ...details, status: page.status, evidence, ...(vendor && { vendor }) })
}
