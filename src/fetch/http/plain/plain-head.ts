// Reads the head of an ordinary HTTP/1.1 response. If anything is unusual, it returns null, and undici reads the response.
import type { HeaderList } from '../../../model/page/page.ts'

interface PlainHead {
  status: number
  headers: HeaderList
  /** Number of bytes of the body. */
  length: number
  /** How long the server keeps the connection open, in ms. Null if the server does not say it. */
  keepAliveMs: number | null
}

const statusLine = /^HTTP\/1\.1 ([2-5]\d\d) [\t\x20-\x7e]*$/
const token = /^[!#$%&'*+.^_`|~a-z-][!#$%&'*+.^_`|~a-z0-9-]*$/i
/** Control characters other than tab. Only broken or malicious servers send them. */
const control = /[^\t\x20-\x7e\x80-\xff]/
/** The value has no space at its ends, where parsers differ. */
const trimmed = /^[^\t ](?:.*[^\t ])?$/s
const digits = /^\d{1,15}$/
const keepAliveTime = /(?:^|,)[\t ]*timeout=(\d{1,9})/i

/** Maps header names, as servers send them, to lower case. Servers use few different names, so this cache avoids most
 *  new strings. */
const knownNames = new Map<string, string>()
const mostNames = 500

/** `head` is the text up to the empty line, without it. */
export function readPlainHead(head: string): PlainHead | null {
  let at = lineEnd(head, 0)
  const status = statusLine.exec(head.slice(0, at))?.[1]
  if (status === undefined) return null
  const headers: Array<readonly [string, string]> = []
  while (at < head.length) {
    const start = at + 2
    at = lineEnd(head, start)
    if (!addHeader(headers, head, start, at)) return null
  }
  return framed(Number(status), headers)
}

function lineEnd(head: string, from: number): number {
  const end = head.indexOf('\r\n', from)
  return end === -1 ? head.length : end
}

/** Adds the header from `start` to `end`. Returns false if it is unusual. Values of one name stay together, as in undici. */
function addHeader(
  headers: Array<readonly [string, string]>,
  head: string,
  start: number,
  end: number,
): boolean {
  const colon = head.indexOf(':', start)
  if (colon === -1 || colon >= end) return false
  const name = lowerName(head.slice(start, colon))
  const value = head.slice(head.charCodeAt(colon + 1) === space ? colon + 2 : colon + 1, end)
  if (name === null || !trimmed.test(value) || control.test(value)) return false
  const same = headers.findLastIndex(header => header[0] === name)
  if (same === -1) headers.push([name, value])
  else headers.splice(same + 1, 0, [name, value])
  return true
}

const space = 0x20

function lowerName(name: string): string | null {
  const known = knownNames.get(name)
  if (known !== undefined) return known
  if (!token.test(name)) return null
  const lower = name.toLowerCase()
  if (knownNames.size < mostNames) knownNames.set(name, lower)
  return lower
}

/** Returns the head if it states the length of the body and the connection stays open. Otherwise returns null. */
function framed(status: number, headers: HeaderList): PlainHead | null {
  let length = status === 204 || status === 304 ? 0 : -1
  let lengths = 0
  let keepAliveMs: number | null = null
  for (const [name, value] of headers) {
    switch (name) {
      case 'content-length':
        if (++lengths > 1 || !digits.test(value) || (length === 0 && Number(value) > 0)) return null
        length = Number(value)
        break
      case 'connection':
        if (value.toLowerCase() !== 'keep-alive') return null
        break
      case 'keep-alive': {
        const seconds = keepAliveTime.exec(value)?.[1]
        if (keepAliveMs !== null) return null
        if (seconds !== undefined) keepAliveMs = Number(seconds) * 1_000
        break
      }
      case 'transfer-encoding':
      case 'upgrade':
      case 'trailer':
        return null
    }
  }
  return length === -1 ? null : { status, headers, length, keepAliveMs }
}
