// The proxy's response to a refused request: short, without any address.
import type { ServerResponse } from 'node:http'
import { STATUS_CODES } from '../../../lib/node-http.ts'
import type { Failure } from '../../../model/failures.ts'
import { failureHeader } from './headers.ts'

/** For a plain request. The driver reads the code; a page that reads the body learns nothing internal. */
export function refuse(response: ServerResponse, failure: Failure): void {
  response.writeHead(failure.rule.http, {
    [failureHeader]: failure.code,
    'content-type': 'text/plain; charset=utf-8',
    'cache-control': 'no-store',
  })
  response.end(bodyOf(failure))
}

/** For a connection outside Node's HTTP parser. Chromium does not show it. */
export function refusalText(failure: Failure): string {
  const { http } = failure.rule
  const body = bodyOf(failure)
  return [
    `HTTP/1.1 ${http} ${STATUS_CODES[http]}`,
    `${failureHeader}: ${failure.code}`,
    'content-type: text/plain; charset=utf-8',
    `content-length: ${Buffer.byteLength(body)}`,
    'connection: close',
    '',
    body,
  ].join('\r\n')
}

const bodyOf = ({ code }: Failure) => `Not fetched: ${code}\n`
