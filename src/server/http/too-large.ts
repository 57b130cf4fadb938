// The error for a body that is too large. It names the limit of the route. If the body may be a list of URLs, it suggests an
// upload.
import type { FastifyRequest } from 'fastify'
import { Failure } from '../../model/failures.ts'

/** The failure for a body that Fastify refused because of the route's limit. */
export function bodyTooLarge(request: FastifyRequest): Failure {
  const { url, method, bodyLimit } = request.routeOptions
  const most = bodyLimit === undefined ? '' : ` than the ${bodyLimit.toLocaleString('en-US')} bytes`
  const route = url === undefined ? 'this service' : `${String(method)} ${url}`
  return new Failure('request.too-large', `the body is larger${most} that ${route} takes${wayOut(request)}`)
}

export const wayOut = ({ routeOptions }: FastifyRequest): string =>
  routeOptions.config?.takesLists
    ? '; send a long list as a file to /uploads and name it in the job with upload_id'
    : ''
