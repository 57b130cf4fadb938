// What a browser is told when it does not get what it asked for: short, and without any address.
import { type ServerResponse, STATUS_CODES } from 'node:http'
import type { Failure } from '../../../model/failures.ts'
import { failureHeader } from './headers.ts'

/** For a plain request. The code tells the driver; a page that reads the body learns nothing of the inside. */
export function refuse(response: ServerResponse, failure: Failure): void {
  response.writeHead(failure.rule.http, {
    [failureHeader]: failure.code,
    'content-type': 'text/plain; charset=utf-8',
    'cache-control': 'no-store',
  })
  response.end(bodyOf(failure))
}

/** The same for a connection that no longer speaks through Node's parser. Chromium shows its user nothing of it. */
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
