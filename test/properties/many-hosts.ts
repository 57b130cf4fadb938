// A server on all addresses of 127.0.2.x: each address is a separate host with its own behaviour.
import { createServer, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'

export interface Arrival {
  path: string
  at: number
}

/** Decides the response of a host, given the number of earlier page requests to this host. */
export type Manner = (response: ServerResponse, before: number) => void

const most = 60

export class ManyHosts implements AsyncDisposable {
  readonly #arrivals = new Map<string, Arrival[]>()
  readonly #manners = new Map<string, Manner>()
  #given = 0
  readonly #server = createServer((request, response) => {
    const host = request.headers.host ?? ''
    const path = request.url ?? ''
    if (path === '/robots.txt') return void response.writeHead(404).end()
    const pages = this.pagesOf(host)
    pages.push({ path, at: performance.now() })
    this.#manners.get(host)?.(response, pages.length - 1)
  })

  static async open(): Promise<ManyHosts> {
    const hosts = new ManyHosts()
    await new Promise<void>(resolve => hosts.#server.listen(0, resolve))
    return hosts
  }

  /** The addresses of all hosts, for `allowPrivate`. */
  get places(): string[] {
    return Array.from({ length: most }, (_, index) => this.#place(index))
  }

  #place(index: number): string {
    return `127.0.2.${index + 1}:${(this.#server.address() as AddressInfo).port}`
  }

  /** A host that no earlier test used, as `address:port`. */
  next(manner: Manner): string {
    const host = this.#place(this.#given++)
    this.#manners.set(host, manner)
    return host
  }

  /** Requests for pages of the host. robots.txt is left out. */
  pagesOf(host: string): Arrival[] {
    const known = this.#arrivals.get(host)
    if (known) return known
    const made: Arrival[] = []
    this.#arrivals.set(host, made)
    return made
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#server.closeAllConnections()
    await new Promise(resolve => this.#server.close(resolve))
  }
}

export const page = (response: ServerResponse): void =>
  void response.writeHead(200, { 'content-type': 'text/html' }).end('<title>A page</title><h1>A page</h1>')

export const answer =
  (status: number): Manner =>
  response =>
    void response.writeHead(status).end()
