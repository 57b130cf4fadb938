// Writes the head of an ordinary GET request, with the same bytes as undici.
import type { Dispatcher } from 'undici'
import type { HeaderList } from '../../../model/page/page.ts'

/** Receives a response. `onPlainHead` is called instead of `onResponseStart` if undici did not read the head. */
export interface PlainHandler extends Dispatcher.DispatchHandler {
  onPlainHead?(controller: Dispatcher.DispatchController, status: number, headers: HeaderList): void
}

export type PlainRequest = [options: Dispatcher.DispatchOptions, handler: PlainHandler]

const plainPath = /^\/[\x21-\x7e]*$/
const token = /^[!#$%&'*+.^_`|~0-9a-z-]+$/i
const plainValue = /^[\t\x20-\x7e]*$/
/** Headers that undici handles specially. Usually our requests do not have them. */
const special = /^(?:host|connection|content-length|transfer-encoding|keep-alive|upgrade|expect)$/i

/** Null if only undici can send the request. */
export function plainRequestText([options, handler]: PlainRequest, { host }: URL): string | null {
  const { path, method, headers, body } = options
  if (method !== 'GET' || (body !== null && body !== undefined) || !handler.onPlainHead) return null
  const lines = Array.isArray(headers) && plainPath.test(path) ? headerLines(headers) : null
  if (lines === null) return null
  return `GET ${path} HTTP/1.1\r\nhost: ${host}\r\nconnection: keep-alive\r\n${lines}\r\n`
}

/** Most requests of a job share one list of headers, so the text of the last list is cached. */
let known: { headers: readonly unknown[]; lines: string | null } = { headers: [], lines: '' }

function headerLines(headers: readonly unknown[]): string | null {
  if (known.headers !== headers) known = { headers, lines: joinLines(headers as string[]) }
  return known.lines
}

function joinLines(headers: readonly string[]): string | null {
  let lines = ''
  for (let at = 0; at < headers.length; at += 2) {
    const name = headers[at]!
    const value = headers[at + 1]
    if (typeof value !== 'string' || !plainValue.test(value) || !token.test(name) || special.test(name))
      return null
    lines += `${name}: ${value}\r\n`
  }
  return lines
}
