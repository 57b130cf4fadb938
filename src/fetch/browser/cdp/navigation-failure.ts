// Maps Chromium's network errors to failure codes.
import { Failure, type FailureCode } from '../../../model/failures.ts'

const meanings: Array<[error: RegExp, code: FailureCode, says: string]> = [
  [/TOO_MANY_REDIRECTS/, 'redirect.too-many', 'redirects without end'],
  [/NAME_NOT_RESOLVED|DNS_/, 'dns.not-found', 'does not exist in DNS'],
  [/CONNECTION_REFUSED/, 'connect.refused', 'refused the connection'],
  [/CONNECTION_TIMED_OUT/, 'connect.timeout', 'did not accept the connection in time'],
  [/TIMED_OUT/, 'fetch.timeout', 'did not answer in time'],
  [/CERT_|SSL_|TLS_/, 'tls.failed', 'could not be verified by TLS'],
  [/PROXY_|TUNNEL_/, 'connect.failed', 'cannot be reached from this machine'],
  [
    /ADDRESS_|INTERNET_DISCONNECTED|CONNECTION_FAILED/,
    'connect.failed',
    'cannot be reached from this machine',
  ],
  [/CONNECTION_(RESET|CLOSED|ABORTED)|EMPTY_RESPONSE/, 'connection.lost', 'closed the connection'],
  [/CONTENT_LENGTH_MISMATCH|INCOMPLETE_CHUNKED/, 'body.truncated', 'sent an incomplete body'],
  [/CONTENT_DECODING/, 'body.undecodable', 'sent a body that cannot be decoded'],
  [
    /INVALID_(HTTP_)?RESPONSE|INVALID_CHUNKED|RESPONSE_HEADERS_|HTTP2_|UNSAFE_PORT/,
    'http.protocol',
    'answered with something that is not HTTP',
  ],
]

/** Converts an error text such as `net::ERR_CONNECTION_REFUSED` to the failure of this URL. */
export function navigationFailure(errorText: string, url: string): Failure {
  const [, code, says] = meanings.find(([error]) => error.test(errorText)) ?? [
    null,
    'navigation.failed',
    'could not be opened',
  ]
  const name = errorText.replace(/^net::/, '')
  return new Failure(code as FailureCode, `${URL.parse(url)?.host ?? url} ${says} (${name})`, {
    url,
    error: name,
  })
}
