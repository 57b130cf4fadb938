// A web page in a user's browser must not use MCP in that user's name.
import type { IncomingHttpHeaders } from 'node:http'
import { Failure } from '../../../model/failures.ts'
import { isLoopback } from '../../loopback.ts'

/** Refuses requests of foreign web pages. Programs send no Origin. A page may call the service that served it. A page that
 *  was served by this machine may call a service on this machine. */
export function refuseForeignOrigin({ host, origin }: IncomingHttpHeaders): void {
  if (origin === undefined) return
  const page = URL.parse(origin)
  const service = URL.parse(`http://${host}`)
  if (page?.host === host) return
  if (page && service && isLoopback(page.hostname) && isLoopback(service.hostname)) return
  throw new Failure(
    'request.forbidden',
    `Origin: ${origin.slice(0, 200)}: /mcp does not answer web pages of other sites; connect from a program, or from a page of ${host}`,
  )
}
