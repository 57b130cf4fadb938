// The demo needs no key. So it accepts only requests from this machine, and refuses requests of foreign web pages.
import type { IncomingHttpHeaders } from 'node:http'
import { Failure } from '../model/failures.ts'
import type { App } from './app.ts'
import { isLoopback } from './loopback.ts'

/** Refuses requests of foreign web pages. A page in a browser on this machine could send requests here, even through a DNS name
 *  that resolves to 127.0.0.1. */
export function refuseForeign(app: App): void {
  app.addHook('onRequest', (request, _reply, done) => {
    const foreign = foreignIn(request.headers)
    done(foreign === null ? undefined : refusal(foreign))
  })
}

export function foreignIn({ host, origin }: IncomingHttpHeaders): string | null {
  if (!isLoopback(nameOf(`http://${host}`))) return `Host: ${host ?? 'none'}`
  if (origin === undefined || URL.parse(origin)?.host === host) return null
  return `Origin: ${origin}`
}

const nameOf = (url: string): string => URL.parse(url)?.hostname ?? ''

const refusal = (foreign: string): Failure =>
  new Failure(
    'request.forbidden',
    `${foreign.slice(0, 200)}: the demo accepts only requests from this machine to localhost or 127.0.0.1; start kscrape serve without --demo and use a key`,
  )
