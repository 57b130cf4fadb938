// The proxy's response to a refused request. It is short and contains no address.
import type { ServerResponse } from 'node:http'
import { STATUS_CODES } from '../../../lib/node-http.ts'
import type { Failure } from '../../../model/failures.ts'
import { failureHeader } from './headers.ts'

/** Refuses a plain request. The driver reads the failure code from the header. The body contains no internal detail,
 *  because the page may read it. */
export function refuse(response: ServerResponse, failure: Failure): void {
  response.writeHead(failure.rule.http, {
    [failureHeader]: failure.code,
    'content-type': 'text/plain; charset=utf-8',
    'cache-control': 'no-store',
  })
  response.end(bodyOf(failure))
}

/** The refusal as raw text, for a connection outside Node's HTTP parser. Chromium does not show it to the page. */
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
