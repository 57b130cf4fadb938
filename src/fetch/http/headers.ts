// What is said about us in a request: our own headers, the job's on top, and the few that cross origins.
import { cutMark } from '../../lib/secret-forms.ts'
import { Failure } from '../../model/failures.ts'
import type { HeaderList } from '../../model/page.ts'
import { acceptedEncodings } from './decode.ts'

/** Written by the connection itself; a second opinion in them is how requests get smuggled. */
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

/** What any site may know. Everything else a caller set could be a secret, and stays with the origin it was for. */
const harmlessHeaders = new Set([
  'accept',
  'accept-encoding',
  'accept-language',
  'cache-control',
  'dnt',
  'from',
  'pragma',
  'user-agent',
])
const bodyHeaders = new Set(['content-type', 'content-language', 'content-encoding'])

export type Headers = Readonly<Record<string, string>>

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

/** The later one wins; names in lower case. */
export function merge(base: Headers, over: Headers | undefined): Headers {
  if (over === undefined) return base
  const merged: Record<string, string> = { ...base }
  for (const [name, value] of Object.entries(over)) merged[checkedName(name)] = value
  return merged
}

function checkedName(name: string): string {
  const lower = name.toLowerCase()
  if (!connectionHeaders.has(lower) && !lower.startsWith('proxy-')) return lower
  throw new Failure('input.invalid', `The header "${name}" is the connection's own and cannot be set`, {
    name,
  })
}

/** What goes along to another origin. A body that is sent again keeps what describes it. */
export function forOtherOrigin(headers: Headers, hasBody: boolean): Headers {
  return filter(headers, name => harmlessHeaders.has(name) || (hasBody && bodyHeaders.has(name)))
}

export const withoutBody = (headers: Headers): Headers => filter(headers, name => !bodyHeaders.has(name))

function filter(headers: Headers, keeps: (name: string) => boolean): Headers {
  return Object.fromEntries(Object.entries(headers).filter(([name]) => keeps(name)))
}

/** What a browser, or a question whether a page has changed, says of itself. */
const tellsNothing = /^(sec-|if-)|^(upgrade-insecure-requests|priority)$/

/** As they were sent, for whoever looks at them later: of what could be a secret, that there was one. */
export function withoutSecrets(pairs: Iterable<readonly [name: string, value: string]>): HeaderList {
  return Array.from(
    pairs,
    ([name, value]) => [name, mayBeShown(name.toLowerCase()) ? value : cutMark] as const,
  )
}

const mayBeShown = (name: string): boolean =>
  harmlessHeaders.has(name) || bodyHeaders.has(name) || tellsNothing.test(name)

/** name, value, name, value: the form undici reads fastest. */
export function flat(headers: Headers): string[] {
  const list: string[] = []
  for (const name in headers) list.push(name, headers[name]!)
  return list
}

export function* pairsOf(flat: readonly string[]): Generator<[name: string, value: string]> {
  for (let at = 0; at + 1 < flat.length; at += 2) yield [flat[at]!, flat[at + 1]!]
}
