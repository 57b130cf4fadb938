// The other requests and responses of a page: its redirects, and with `results.archive: page` everything that the browser loaded.
import type { HeaderList } from './header-list.ts'

export interface PartExchange {
  url: string
  method: string
  /** Secret values are removed. */
  requestHeaders: HeaderList
  requestBody: Buffer | null
  status: number
  headers: HeaderList
  /** The body after Content-Encoding is undone, in its original charset. */
  body: Buffer
  /** True if the browser returned this body as text. Then it is stored as UTF-8, and the original charset is
   *  unknown. */
  isReencoded?: boolean
  remoteAddress: string | null
  httpVersion: '1.1' | '2'
  /** When the request was sent. */
  startedAt: number
  endedAt: number
}

export interface SkippedPart {
  url: string
  why: string
}

export interface PageParts {
  /** The requests with their responses, in the order of the requests. */
  exchanges: readonly PartExchange[]
  /** Resources that the page loaded but that are not stored. */
  skipped: readonly SkippedPart[]
  /** Whether the exchanges include the response of the page itself. Then the stored body of the page is the rendered markup. */
  isWhole: boolean
}

/** Removes secrets from addresses, headers and bodies. */
interface CutSecrets {
  text(text: string): string
  bytes(bytes: Buffer): Buffer
}

/** Removes secrets. `sent` is applied to URLs, headers and bodies of requests, `received` to responses. */
export function cutParts(parts: PageParts, sent: CutSecrets, received = sent): PageParts {
  const text = (text: string) => sent.text(text)
  const headers = (list: HeaderList): HeaderList => list.map(([name, value]) => [name, text(value)] as const)
  return {
    ...parts,
    skipped: parts.skipped.map(({ url, why }) => ({ url: text(url), why })),
    exchanges: parts.exchanges.map(part => ({
      ...part,
      url: text(part.url),
      requestHeaders: headers(part.requestHeaders),
      requestBody: part.requestBody && sent.bytes(part.requestBody),
      headers: headers(part.headers),
      body: received.bytes(part.body),
    })),
  }
}
