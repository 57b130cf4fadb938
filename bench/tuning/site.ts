// Shop pages on loopback, with a chosen delay, under many host names.
import { once } from 'node:events'
import { createServer, type RequestListener, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { pageHtml } from '../static/site.ts'

/** Enough that no page repeats soon, and few enough to make them quickly. */
const differentPages = 64

export class TunedSite implements AsyncDisposable {
  readonly places: string[]
  readonly #servers: Server[]
  #asked: number[] = []

  /** Every address of 127.0.0.0/8 is this machine, so each server counts as a host. */
  static async start({ hosts, answerAfterMs }: { hosts: number; answerAfterMs: number }): Promise<TunedSite> {
    const pages = Array.from({ length: differentPages }, (_, n) => Buffer.from(pageHtml(n, differentPages)))
    const asked: number[] = []
    const answer: RequestListener = (request, response) => {
      if (request.url === '/robots.txt') return response.writeHead(404).end()
      const n = Number(/\/p\/(\d+)/.exec(request.url ?? '')?.[1] ?? 0)
      asked.push(performance.now())
      response.setHeader('content-type', 'text/html; charset=utf-8')
      const body = pages[n % differentPages]
      if (answerAfterMs === 0) response.end(body)
      else setTimeout(() => response.end(body), answerAfterMs)
    }
    const servers = Array.from({ length: hosts }, (_, n) =>
      createServer(answer).listen(0, `127.0.1.${n + 1}`),
    )
    await Promise.all(servers.map(server => once(server, 'listening')))
    return new TunedSite(servers, asked)
  }

  private constructor(servers: Server[], asked: number[]) {
    this.#servers = servers
    this.#asked = asked
    this.places = servers.map(server => {
      const { address, port } = server.address() as AddressInfo
      return `${address}:${port}`
    })
  }

  urls(count: number): string[] {
    return Array.from({ length: count }, (_, n) => `http://${this.places[n % this.places.length]}/p/${n}`)
  }

  /** Pages per second between the first and the last request, since the last call. */
  pagesPerSecond(): number {
    const asked = this.#asked.splice(0)
    const seconds = (asked.at(-1)! - asked[0]!) / 1_000
    return (asked.length - 1) / seconds
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const server of this.#servers) {
      server.closeAllConnections()
      server.close()
    }
  }
}
