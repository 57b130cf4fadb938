// The demo needs no key, so it must be sure that a request comes from this machine and from no web page of others.
import type { IncomingHttpHeaders } from 'node:http'
import { Failure } from '../model/failures.ts'
import type { App } from './app.ts'
import { isLoopback } from './loopback.ts'

/** A page that a browser on this machine has open could ask us in its user's name, also under a name of its own that leads here. */
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
    `${foreign.slice(0, 200)}: the demo answers only this machine, at localhost or 127.0.0.1; start kscrape serve without --demo and use a key`,
  )
