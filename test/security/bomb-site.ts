// A site with hostile pages and a site with ordinary pages, for two workspaces of one service.
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { type Bomb, bombPages } from './bomb-pages.ts'

export const goodPages = 200

export class BombSite implements AsyncDisposable {
  readonly #server: Server
  readonly #made = new Map<string, { body: Buffer; encoding: string | undefined }>()

  private constructor(server: Server) {
    this.#server = server
  }

  static async open(): Promise<BombSite> {
    const server = createServer()
    const site = new BombSite(server)
    server.on('request', (request, response) => {
      const path = decodeURIComponent(request.url ?? '/')
      const bomb = bombPages[path.slice('/bombs/'.length)]
      if (bomb) {
        const { body, encoding } = site.#bodyOf(path, bomb)
        response.writeHead(200, {
          'content-type': bomb.type,
          ...(encoding && { 'content-encoding': encoding }),
        })
        return response.end(body)
      }
      if (!path.startsWith('/good/')) return response.writeHead(404).end()
      response.writeHead(200, { 'content-type': 'text/html' }).end(goodPage(path))
    })
    await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
    return site
  }

  get place(): string {
    return `127.0.0.1:${(this.#server.address() as AddressInfo).port}`
  }

  get goodUrls(): string[] {
    return Array.from({ length: goodPages }, (_, index) => `http://${this.place}/good/${index}`)
  }

  /** The hostile pages are on another host, because this suite does not test the effect on their own host. */
  urlOf(bomb: string): string {
    return `http://localhost:${this.place.split(':')[1]}/bombs/${encodeURIComponent(bomb)}`
  }

  #bodyOf(path: string, bomb: Bomb): { body: Buffer; encoding: string | undefined } {
    const known = this.#made.get(path)
    if (known) return known
    const made = { body: Buffer.from(bomb.body()), encoding: bomb.encoding }
    this.#made.set(path, made)
    return made
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#server.closeAllConnections()
    await new Promise(resolve => this.#server.close(resolve))
  }
}

const goodPage = (path: string): string =>
  `<title>Page ${path}</title><main><h1>Page ${path}</h1>${`<p>What ${path} says. </p>`.repeat(50)}</main>`
