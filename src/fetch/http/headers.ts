// Request headers: our defaults, overridden by those of the caller. Also converts them to a flat list.
import { cutMark } from '../../lib/secrets/secret-forms.ts'
import { Failure } from '../../model/failures.ts'
import type { HeaderList } from '../../model/page/page.ts'
import { acceptedEncodings } from './decode.ts'
import { type DecidedHeaders, type Headers, isHarmless, isOfBody } from './header-origins.ts'

/** Headers that the connection sets itself. A conflicting second value would allow request smuggling. */
const connectionHeaders = new Set([
  'host',
  'connection',
  'content-length',
  'expect',
  'keep-alive',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
])

export function ownHeaders(userAgent: string, defaults: Headers = {}): Headers {
  return merge(
    {
      'user-agent': userAgent,
      accept: 'text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8',
      'accept-encoding': acceptedEncodings,
    },
    defaults,
  )
}

/** Merges headers; `over` takes precedence. Names become lower case. */
export function merge(base: Headers, over: Headers | undefined): Headers {
  if (over === undefined) return base
  const merged: Record<string, string> = { ...base }
  for (const [name, value] of Object.entries(over)) merged[checkedName(name)] = value
  return merged
}

function checkedName(name: string): string {
  const lower = name.toLowerCase()
  if (!connectionHeaders.has(lower) && !lower.startsWith('proxy-')) return lower
  throw new Failure('input.invalid', `The connection itself sets the header "${name}"; leave it out`, {
    name,
  })
}

export const withoutBody = (headers: Headers): Headers =>
  Object.fromEntries(Object.entries(headers).filter(([name]) => !isOfBody(name)))

/** Headers of browsers and of conditional requests. They contain no secrets. */
const tellsNothing = /^(sec-|if-)|^(upgrade-insecure-requests|priority)$/

/** Request headers to store with the page. Values that may be secrets are replaced by a placeholder. */
export function withoutSecrets(pairs: Iterable<readonly [name: string, value: string]>): HeaderList {
  return Array.from(
    pairs,
    ([name, value]) => [name, mayBeShown(name.toLowerCase()) ? value : cutMark] as const,
  )
}

const mayBeShown = (name: string): boolean => isHarmless(name) || isOfBody(name) || tellsNothing.test(name)

declare const flattened: unique symbol
/** The form name, value, name, value, which undici sends fastest. Built only from headers that passed `headersTo`. */
export type FlatHeaders = string[] & { readonly [flattened]: true }

export function flat(headers: DecidedHeaders): FlatHeaders {
  const list: string[] = []
  for (const name in headers) list.push(name, (headers as Headers)[name]!)
  return list as FlatHeaders
}

export function* pairsOf(flat: readonly string[]): Generator<[name: string, value: string]> {
  for (let at = 0; at + 1 < flat.length; at += 2) yield [flat[at]!, flat[at + 1]!]
}
