// A site on loopback that logs every request with all its headers, for tests about what other sites receive.
import { createServer, type IncomingHttpHeaders, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'

export interface Heard {
  path: string
  headers: IncomingHttpHeaders
}

/** Markup, or a function that writes the response. */
export type Served = string | ((response: ServerResponse, headers: IncomingHttpHeaders) => void)

export class ListeningSite implements AsyncDisposable {
  readonly heard: Heard[] = []
  readonly pages: Record<string, Served>
  readonly #server = createServer((request, response) => {
    const path = request.url ?? '/'
    this.heard.push({ path, headers: request.headers })
    const served = this.pages[path]
    if (typeof served === 'function') return served(response, request.headers)
    response.writeHead(served === undefined ? 404 : 200, { 'content-type': 'text/html' })
    response.end(served ?? '')
  })

  private constructor(pages: Record<string, Served>) {
    this.pages = pages
  }

  /** `address` may be another loopback address, which counts as another host. */
  static async open(pages: Record<string, Served> = {}, address = '127.0.0.1'): Promise<ListeningSite> {
    const site = new ListeningSite(pages)
    await new Promise<void>(resolve => site.#server.listen(0, address, resolve))
    return site
  }

  /** Address and port, like `127.0.0.1:4711`. */
  get place(): string {
    const { address, port } = this.#server.address() as AddressInfo
    return `${address}:${port}`
  }

  get url(): string {
    return `http://${this.place}`
  }

  get paths(): string[] {
    return this.heard.map(({ path }) => path)
  }

  /** The requests that contain one of these texts anywhere. */
  holding(texts: readonly string[]): Heard[] {
    return this.heard.filter(heard => texts.some(text => JSON.stringify(heard).includes(text)))
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#server.closeAllConnections()
    await new Promise(resolve => this.#server.close(resolve))
  }
}

export const html = (body: string, head = ''): string =>
  `<!doctype html><html><head><title>A page</title>${head}</head><body><h1>A page</h1><p>Some words that make it one.</p>${body}</body></html>`

export const redirectTo =
  (location: string, status = 302): Served =>
  response => {
    response.writeHead(status, { location })
    response.end()
  }
