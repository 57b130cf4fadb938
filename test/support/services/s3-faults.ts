// A proxy in front of S3 that gives some requests a wrong, late or missing response.
import {
  request as ask,
  createServer,
  type IncomingMessage,
  type Server,
  type ServerResponse,
} from 'node:http'
import type { AddressInfo } from 'node:net'

/** `error`, `slow-down`, `denied`: error responses of S3. `reset`: the connection breaks during the upload. `silent`: the request
 *  is executed, but gets no response. `half`: half of the object is stored, and success is reported. `cut-off`: the response
 *  ends midway. */
export type S3Fault = 'error' | 'slow-down' | 'denied' | 'reset' | 'silent' | 'half' | 'cut-off'

const codes = {
  error: [500, 'InternalError'],
  'slow-down': [503, 'SlowDown'],
  denied: [403, 'AccessDenied'],
} as const

export class FaultyS3 implements AsyncDisposable {
  readonly #server: Server
  /** If set, this is called for each request. */
  fault: ((request: IncomingMessage) => S3Fault | null) | null = null
  faults = 0

  private constructor(target: URL) {
    this.#server = createServer((request, response) => void this.#serve(target, request, response))
  }

  static async open(target: string): Promise<FaultyS3> {
    const faulty = new FaultyS3(new URL(target))
    await new Promise<void>(done => faulty.#server.listen(0, '127.0.0.1', done))
    return faulty
  }

  get url(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`
  }

  async #serve(target: URL, request: IncomingMessage, response: ServerResponse): Promise<void> {
    const fault = this.fault?.(request) ?? null
    if (fault !== null) this.faults += 1
    if (fault === 'reset') return void request.once('data', () => request.socket.destroy())
    const parts = await Array.fromAsync(request).catch(() => null)
    // The sender was killed while it sent, so S3 stores nothing.
    if (parts === null) return void response.destroy()
    const body = Buffer.concat(parts)
    if (isRefusal(fault)) return refuse(response, codes[fault])
    const sent = fault === 'half' ? body.subarray(0, body.length / 2) : body
    this.#pass(target, request, sent, response, fault)
  }

  #pass(
    target: URL,
    { method, url, headers }: IncomingMessage,
    body: Buffer,
    response: ServerResponse,
    fault: S3Fault | null,
  ): void {
    const more = { ...headers, 'content-length': String(body.length) }
    const place = { host: target.hostname, port: target.port, method, path: url, headers: more }
    const passed = ask(place, answer => {
      if (fault === 'silent') return void answer.resume()
      response.writeHead(answer.statusCode ?? 500, answer.headers)
      if (fault === 'cut-off') return void breakOff(answer, response)
      answer.pipe(response)
    })
    passed.on('error', () => response.destroy())
    passed.end(body)
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#server.closeAllConnections()
    await new Promise(done => this.#server.close(done))
  }
}

const isRefusal = (fault: S3Fault | null): fault is keyof typeof codes => fault !== null && fault in codes

function refuse(response: ServerResponse, [status, code]: readonly [number, string]): void {
  const text = `<?xml version="1.0" encoding="UTF-8"?><Error><Code>${code}</Code><Message>as asked for</Message></Error>`
  response.writeHead(status, { 'content-type': 'application/xml' }).end(text)
}

async function breakOff(answer: IncomingMessage, response: ServerResponse): Promise<void> {
  const body = Buffer.concat(await Array.fromAsync(answer))
  response.write(body.subarray(0, body.length / 2), () => response.destroy())
}
