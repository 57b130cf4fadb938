// A site whose every response contains a unique text, the mark, so that stored data can be searched for it.
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'

export interface MarkedSite extends AsyncDisposable {
  /** Address and port, like `127.0.0.1:4711`. */
  host: string
  url: string
  requests: number
  /** While this promise is set, pages wait for it. */
  hold: Promise<void> | null
}

export async function startMarkedSite(mark: string): Promise<MarkedSite> {
  const server = createServer(async (request, response) => {
    site.requests += 1
    if (request.url === '/robots.txt') return void response.end(`User-agent: *\nAllow: /\n# ${mark}\n`)
    await site.hold
    const page = `<html><head><title>${mark} ${request.url}</title></head><body><h1>${mark}</h1>
      <p>Some words about ${mark}.</p><a href="/page/next">next</a></body></html>`
    response.writeHead(200, { 'content-type': 'text/html', 'set-cookie': `visit=${mark}; Max-Age=86400` })
    response.end(page)
  })
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
  const host = `127.0.0.1:${(server.address() as AddressInfo).port}`
  const site: MarkedSite = {
    ...{ host, url: `http://${host}`, requests: 0, hold: null },
    async [Symbol.asyncDispose]() {
      server.closeAllConnections()
      await new Promise(resolve => server.close(resolve))
    },
  }
  return site
}

/** True if these bytes contain the mark, plain or compressed, in any letter case. */
export function holdsMark(bytes: Buffer, mark: string, unpack: (bytes: Buffer) => Buffer[]): boolean {
  return [bytes, ...unpack(bytes)].some(each => each.toString('latin1').toLowerCase().includes(mark))
}
