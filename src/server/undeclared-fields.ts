// Fields where a route takes none: refused like any other that is unknown, so that nothing is accepted and ignored.
import type { FastifyRequest } from 'fastify'
import { Failure } from '../model/failures.ts'
import type { App } from './app.ts'

export function refuseUndeclared(app: App): void {
  app.addHook('preValidation', (request, _reply, done) => {
    const { schema, config } = request.routeOptions
    // What is hidden are pages for people, which look after themselves.
    if (request.is404 || schema?.hide) return done()
    const field =
      (schema?.querystring ? undefined : firstField(request.query)) ??
      (schema?.body || config.isUpload ? undefined : firstField(request.body))
    done(field === undefined ? undefined : unknownField(request, field))
  })
}

function firstField(given: unknown): string | undefined {
  if (given === undefined || given === null) return undefined
  return typeof given === 'object' && !Array.isArray(given) ? Object.keys(given)[0] : '(whole)'
}

const unknownField = ({ method, routeOptions }: FastifyRequest, field: string): Failure =>
  new Failure(
    'input.invalid',
    `the request can't be accepted: ${field}: unknown; ${method} ${routeOptions.url} takes no such field`,
    { path: field },
  )
