// The further exchanges of a page: its redirects, and with `results.archive: page` everything that the browser loaded.
import type { HeaderList } from './header-list.ts'

export interface PartExchange {
  url: string
  method: string
  /** Without secrets. */
  requestHeaders: HeaderList
  requestBody: Buffer | null
  status: number
  headers: HeaderList
  /** Content-Encoding undone; the charset is not. */
  body: Buffer
  /** The browser gave this body as text, so it is stored as UTF-8 and its charset is lost. */
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
  /** In the order of the requests. */
  exchanges: readonly PartExchange[]
  /** Resources that the page loaded but that are not stored. */
  skipped: readonly SkippedPart[]
  /** The response of the page itself is among the exchanges, and the body of the page is the rendered markup. */
  isWhole: boolean
}

/** Removes secrets from addresses, headers and bodies. */
interface CutSecrets {
  text(text: string): string
  bytes(bytes: Buffer): Buffer
}

/** `sent` cuts what the page sent, `received` what it got. */
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
