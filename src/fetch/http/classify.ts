// Maps errors of the network, TLS and the HTTP parser to failures.
import { asFailure, Failure, type FailureCode } from '../../model/failures.ts'

/** The target and phase of a request. Contains no resolved address, because addresses must not leave the process. */
export interface Progress {
  /** `host:port` as in the URL. */
  target: string
  gotHeaders: boolean
  timeouts: { connectMs: number; headersMs: number; idleMs: number }
}

const connectCodes: Record<string, FailureCode> = {
  ECONNREFUSED: 'connect.refused',
  EHOSTUNREACH: 'connect.failed',
  EHOSTDOWN: 'connect.failed',
  ENETUNREACH: 'connect.failed',
  ENETDOWN: 'connect.failed',
  EADDRNOTAVAIL: 'connect.failed',
  EAFNOSUPPORT: 'connect.failed',
  EACCES: 'connect.failed',
  EPERM: 'connect.failed',
  // This process has no file descriptors left. The host is not at fault.
  EMFILE: 'worker.exhausted',
  ENFILE: 'worker.exhausted',
  ENOTFOUND: 'dns.not-found',
  ENODATA: 'dns.not-found',
  EAI_NONAME: 'dns.not-found',
  EAI_NODATA: 'dns.not-found',
  EAI_AGAIN: 'dns.failed',
  EAI_FAIL: 'dns.failed',
  EAI_MEMORY: 'dns.failed',
  ESERVFAIL: 'dns.failed',
  EREFUSED: 'dns.failed',
  ETIMEOUT: 'dns.failed',
}

const sentences: Partial<Record<FailureCode, string>> = {
  'connect.refused': 'refused the connection',
  'connect.failed': 'cannot be reached from this machine',
  'dns.not-found': 'does not exist in DNS',
  'dns.failed': 'could not be looked up in DNS',
  'worker.exhausted':
    'was not requested: too many files are open on this machine; lower --concurrency or raise `ulimit -n`',
  'connection.lost': 'closed the connection before the response was complete',
  'tls.failed': 'could not be verified by TLS',
  'http.protocol': 'answered with something that is not HTTP',
  'body.truncated': 'sent a truncated or malformed body',
}

/** Converts any error of undici or Node to a `Failure`. The system's error code is included, but not its text, which
 *  contains addresses. */
export function failureOf(error: unknown, progress: Progress): Failure {
  if (error instanceof Failure) return error
  const systemCode = codeOf(error)
  return timeoutOf(error, systemCode, progress) ?? otherFailure(error, systemCode, progress)
}

function otherFailure(error: unknown, systemCode: string, { target, gotHeaders }: Progress): Failure {
  const code = failureCode(error, systemCode, gotHeaders)
  if (code === null) return asFailure(error)
  if (code === 'input.invalid')
    return new Failure(code, `The request to ${target} is not valid: ${textOf(error)}`)
  if (code === 'worker.stopping')
    return new Failure(code, `Fetching ${target} was stopped: the fetcher closed`)
  // The text of the HTTP parser describes only the invalid response, so it can be shown.
  const reason = reasonOf(error, systemCode)
  return new Failure(code, `${target} ${sentences[code]} (${reason})`, { target, systemCode })
}

function reasonOf(error: unknown, systemCode: string): string {
  if (isUncalledUpgrade(error)) return '101 Switching Protocols, which was not requested'
  return systemCode === 'HPE' ? textOf(error).replace(/^.*\((.*)\)$/, '$1') : systemCode
}

function timeoutOf(error: unknown, systemCode: string, { target, timeouts }: Progress): Failure | null {
  switch (systemCode) {
    case 'ETIMEDOUT':
      if (syscallOf(error) !== 'connect') return null
      return timedOut('connect.timeout', 'connect', target, timeouts.connectMs)
    case 'UND_ERR_CONNECT_TIMEOUT':
      return timedOut('connect.timeout', 'connect', target, timeouts.connectMs)
    case 'UND_ERR_HEADERS_TIMEOUT':
      return timedOut('fetch.timeout', 'headers', target, timeouts.headersMs)
    case 'UND_ERR_BODY_TIMEOUT':
      return timedOut('fetch.timeout', 'idle', target, timeouts.idleMs)
    default:
      return null
  }
}

const waits = {
  connect: 'gave no connection',
  headers: 'sent no headers',
  idle: 'sent nothing more of the body',
  total: 'did not finish',
} as const

/** Each timeout names its phase, so that the user knows which limit to raise. */
export function timedOut(
  code: FailureCode,
  phase: keyof typeof waits,
  target: string,
  limitMs: number,
): Failure {
  const message = `${target} ${waits[phase]} within ${limitMs} ms (timeouts.${phase}Ms)`
  return new Failure(code, message, { target, phase, limitMs })
}

function failureCode(error: unknown, systemCode: string, gotHeaders: boolean): FailureCode | null {
  const known = connectCodes[systemCode]
  if (known !== undefined) return known
  if (isTlsCode(systemCode)) return 'tls.failed'
  switch (systemCode) {
    case 'HPE':
      // A broken chunk is a broken transfer, so a retry may succeed.
      return gotHeaders && /EOF|chunk/i.test(textOf(error)) ? 'body.truncated' : 'http.protocol'
    case 'ERR_ASSERTION':
      return isUncalledUpgrade(error) ? 'http.protocol' : null
    case 'UND_ERR_HEADERS_OVERFLOW':
      return 'http.protocol'
    case 'UND_ERR_RES_CONTENT_LENGTH_MISMATCH':
      // Before the headers are complete, this code means that they contradict each other.
      return gotHeaders ? 'body.truncated' : 'http.protocol'
    case 'UND_ERR_SOCKET':
      return isProtocolBreach(error) ? 'http.protocol' : gotHeaders ? 'body.truncated' : 'connection.lost'
    case 'UND_ERR_INFO':
      return gotHeaders ? 'body.truncated' : 'connection.lost'
    case 'ECONNRESET':
    case 'ECONNABORTED':
    case 'EPIPE':
      return 'connection.lost'
    case 'UND_ERR_INVALID_ARG':
    case 'UND_ERR_NOT_SUPPORTED':
      return 'input.invalid'
    case 'UND_ERR_DESTROYED':
    case 'UND_ERR_CLOSED':
      return 'worker.stopping'
    default:
      return systemCode.startsWith('ERR_HTTP2_') ? 'connection.lost' : failureOfSyscall(syscallOf(error))
  }
}

/** For unknown error codes, the system call decides. */
function failureOfSyscall(syscall: string): FailureCode | null {
  if (syscall === '') return null
  if (syscall === 'connect') return 'connect.failed'
  return /^(getaddrinfo|query)/.test(syscall) ? 'dns.failed' : 'connection.lost'
}

const syscallOf = (error: unknown): string => (error as NodeJS.ErrnoException | null)?.syscall ?? ''

function isTlsCode(code: string): boolean {
  return /^(ERR_TLS_|ERR_SSL_|CERT_|CRL_|UNABLE_TO_|SELF_SIGNED_|DEPTH_ZERO_|INVALID_CA|INVALID_PURPOSE|HOSTNAME_MISMATCH|PATH_LENGTH_EXCEEDED|EPROTO$)/.test(
    code,
  )
}

/** An unrequested 101 response. Without an Upgrade header an assertion in undici fails; with one, undici reports a bad
 *  upgrade. */
const isUncalledUpgrade = (error: unknown) => /^bad upgrade$|assert\(upgrade\)/.test(textOf(error))

/** undici reports an unrequested 100 or 101 response as a socket error. */
const isProtocolBreach = (error: unknown) => /^bad (response|upgrade)$/.test(textOf(error))

const textOf = (error: unknown) => (error instanceof Error ? error.message : String(error))

function codeOf(error: unknown): string {
  if (!(error instanceof Error)) return ''
  // Parser errors have no code in this version of undici.
  if (error.name === 'HTTPParserError') return 'HPE'
  if ('code' in error && typeof error.code === 'string') return error.code
  return error instanceof AggregateError ? codeOf(error.errors[0]) : ''
}
