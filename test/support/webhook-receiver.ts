// A webhook receiver that logs messages, and responds as the test configures it.
import { createServer, type IncomingHttpHeaders, type Server, type ServerResponse } from 'node:http'
import { freePort } from './free-port.ts'
import { wholeBody } from './whole-body.ts'

export interface Received {
  path: string
  headers: IncomingHttpHeaders
  body: string
}

/** A status, no response at all, or a redirect to `/elsewhere`. */
export type ResponseMode = number | 'silent' | 'redirect'

export class WebhookReceiver implements AsyncDisposable {
  readonly received: Received[] = []
  mode: ResponseMode = 200
  #server: Server
  readonly #port: number
  #heard: (() => void)[] = []

  private constructor(port: number) {
    this.#port = port
    this.#server = this.#make()
  }

  static async open(): Promise<WebhookReceiver> {
    const receiver = new WebhookReceiver(await freePort())
    await receiver.up()
    return receiver
  }

  /** `host:port`, for `allowPrivate`. */
  get place(): string {
    return `127.0.0.1:${this.#port}`
  }

  get url(): string {
    return `http://${this.place}/hook`
  }

  /** Starts the server again on the same port. */
  async up(): Promise<void> {
    this.#server = this.#make()
    await new Promise<void>(done => this.#server.listen(this.#port, '127.0.0.1', done))
  }

  async down(): Promise<void> {
    this.#server.closeAllConnections()
    await new Promise(done => this.#server.close(done))
  }

  /** Resolves when this many webhooks have arrived in total. */
  async has(count: number): Promise<Received[]> {
    while (this.received.length < count) await new Promise<void>(done => this.#heard.push(done))
    return this.received
  }

  #make(): Server {
    return createServer(async (request, response) => {
      const body = await wholeBody(request)
      // The sender was killed while it sent, or the server stopped.
      if (body === null) return
      this.received.push({ path: request.url ?? '', headers: request.headers, body })
      this.#answer(response)
      for (const done of this.#heard.splice(0)) done()
    })
  }

  #answer(response: ServerResponse): void {
    if (this.mode === 'silent') return
    if (this.mode === 'redirect') response.writeHead(302, { location: '/elsewhere' }).end()
    else response.writeHead(this.mode).end()
  }

  async [Symbol.asyncDispose](): Promise<void> {
    if (this.#server.listening) await this.down()
  }
}
