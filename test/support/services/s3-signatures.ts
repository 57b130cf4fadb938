// A proxy in front of the S3 test server. It checks the signatures of presigned URLs, because the test server does not check them.
import { createHash, createHmac } from 'node:crypto'
import { createServer, type IncomingMessage, request, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'

export interface SignatureDoor extends AsyncDisposable {
  url: string
  /** The S3 error codes of the requests that were refused. */
  refused: string[]
}

export async function openSignatureDoor(behind: string, secretKey: string): Promise<SignatureDoor> {
  const refused: string[] = []
  const server = createServer((asked, answer) => {
    const code = refusalOf(asked, secretKey)
    if (code === null) return passOn(behind, asked, answer)
    refused.push(code)
    answer.writeHead(403, { 'content-type': 'application/xml', connection: 'close' })
    answer.end(`<Error><Code>${code}</Code></Error>`)
  })
  await new Promise<void>(done => server.listen(0, '127.0.0.1', done))
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    refused,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections()
      await new Promise(done => server.close(done))
    },
  }
}

/** The error code for an invalid signature, or null. Requests with a signature in a header come from our program, and pass. */
function refusalOf(asked: IncomingMessage, secretKey: string): string | null {
  const url = new URL(asked.url!, 'http://any')
  const given = url.searchParams.get('X-Amz-Signature')
  if (given === null) return asked.headers.authorization ? null : 'AccessDenied'
  const signed = url.searchParams.get('X-Amz-SignedHeaders')!.split(';')
  const unsigned = Object.keys(asked.headers).filter(
    name => name.startsWith('x-amz-') && !signed.includes(name),
  )
  if (unsigned.length > 0) return 'AccessDenied'
  return given === signatureOf(asked, url, signed, secretKey) ? null : 'SignatureDoesNotMatch'
}

/** Computes the signature: https://docs.aws.amazon.com/AmazonS3/latest/API/sigv4-query-string-auth.html */
function signatureOf(asked: IncomingMessage, url: URL, signed: string[], secretKey: string): string {
  const query = [...url.searchParams]
    .filter(([name]) => name !== 'X-Amz-Signature')
    .map(([name, value]) => `${escaped(name)}=${escaped(value)}`)
    .sort()
  const canonical = [
    asked.method,
    url.pathname,
    query.join('&'),
    ...signed.map(name => `${name}:${String(asked.headers[name] ?? '').trim()}`),
    '',
    signed.join(';'),
    'UNSIGNED-PAYLOAD',
  ].join('\n')
  const [, ...scope] = url.searchParams.get('X-Amz-Credential')!.split('/')
  const text = [
    'AWS4-HMAC-SHA256',
    url.searchParams.get('X-Amz-Date'),
    scope.join('/'),
    createHash('sha256').update(canonical).digest('hex'),
  ].join('\n')
  const key = scope.reduce<Buffer | string>((secret, part) => hmac(secret, part), `AWS4${secretKey}`)
  return hmac(key, text).toString('hex')
}

const hmac = (key: Buffer | string, text: string): Buffer => createHmac('sha256', key).update(text).digest()

const escaped = (text: string): string =>
  encodeURIComponent(text).replace(/[!'()*]/g, sign => `%${sign.charCodeAt(0).toString(16).toUpperCase()}`)

function passOn(behind: string, asked: IncomingMessage, answer: ServerResponse): void {
  const onward = request(
    new URL(asked.url!, behind),
    { method: asked.method!, headers: asked.headers },
    got => {
      answer.writeHead(got.statusCode!, got.headers)
      got.pipe(answer)
    },
  )
  onward.on('error', () => answer.destroy())
  asked.pipe(onward)
}
