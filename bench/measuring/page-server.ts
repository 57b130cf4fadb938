// A small web server on loopback that records when its first request and its first page request arrive.
import { once } from 'node:events'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'

export class PageServer implements AsyncDisposable {
  readonly host: string
  readonly #server: Server
  #firstRequest = Promise.withResolvers<number>()
  #firstPage = Promise.withResolvers<number>()

  static async start({ answerAfterMs }: { answerAfterMs: number }): Promise<PageServer> {
    const server = createServer().listen(0, '127.0.0.1')
    await once(server, 'listening')
    return new PageServer(server, answerAfterMs)
  }

  private constructor(server: Server, answerAfterMs: number) {
    this.#server = server
    this.host = `127.0.0.1:${(server.address() as AddressInfo).port}`
    server.on('request', (request, response) => {
      this.#firstRequest.resolve(performance.now())
      if (request.url === '/robots.txt') return response.writeHead(404).end()
      this.#firstPage.resolve(performance.now())
      const body = `<!DOCTYPE html><title>${request.url}</title><h1>${request.url}</h1>`
      setTimeout(() => response.setHeader('content-type', 'text/html').end(body), answerAfterMs)
    })
  }

  /** Clears earlier requests. Then resolves with the time of the next request (robots.txt included) and of the next page request. */
  watch(): { firstRequestAt: Promise<number>; firstPageAt: Promise<number> } {
    this.#firstRequest = Promise.withResolvers()
    this.#firstPage = Promise.withResolvers()
    return { firstRequestAt: this.#firstRequest.promise, firstPageAt: this.#firstPage.promise }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#server.closeAllConnections()
    this.#server.close()
  }
}
