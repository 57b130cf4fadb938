// The worker thread of arrivals.ts: servers that do almost nothing except read the clock.
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { setPriority } from 'node:os'
import { parentPort, workerData } from 'node:worker_threads'

export interface ArrivalSite {
  hosts: number
  failEvery?: number
  robots?: string
}

// A high priority, so that arrivals are measured on time on a busy machine. Only root may set it.
try {
  setPriority(0, -15)
} catch {}

const { hosts, failEvery = 0, robots } = workerData as ArrivalSite
const times: number[][] = []
const pageAt = (path: string) => `<!doctype html><title>${path}</title><p>Hello.`

const names: string[] = []
for (let index = 0; index < hosts; index++) {
  const arrived: number[] = []
  times.push(arrived)
  const server = createServer({ keepAliveTimeout: 30_000 }, (request, response) => {
    arrived.push(performance.now())
    if (request.url === '/robots.txt') response.writeHead(robots ? 200 : 404).end(robots)
    else if (failEvery > 0 && arrived.length % failEvery === 0) response.writeHead(500).end()
    else response.writeHead(200, { 'content-type': 'text/html' }).end(pageAt(request.url!))
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  names.push(`127.0.0.1:${(server.address() as AddressInfo).port}`)
}

parentPort!.on('message', () => parentPort!.postMessage(times))
parentPort!.postMessage(names)
