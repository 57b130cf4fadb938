// Refuses query and body fields on routes that declare none, so that nothing is silently ignored.
import type { FastifyRequest, preValidationHookHandler } from 'fastify'
import { Failure } from '../../model/failures.ts'
import type { App } from '../app.ts'

export function refuseUndeclared(app: App): void {
  app.addHook('onRoute', route => {
    const { schema, config } = route
    // Hidden routes are skipped, because they are HTML pages that check their input themselves.
    if (schema?.hide) return
    const takesQuery = Boolean(schema?.querystring || config?.ignoresQuery)
    const takesBody = Boolean(schema?.body || config?.isUpload)
    const refuse: preValidationHookHandler = (request, _reply, done) => {
      const field =
        (takesQuery ? undefined : firstField(request.query)) ??
        (takesBody ? undefined : firstField(request.body))
      done(field === undefined ? undefined : unknownField(request, field))
    }
    if (!takesQuery || !takesBody) route.preValidation = [refuse, ...[route.preValidation ?? []].flat()]
  })
}

function firstField(given: unknown): string | undefined {
  if (given === undefined || given === null) return undefined
  return typeof given === 'object' && !Array.isArray(given) ? Object.keys(given)[0]?.slice(0, 200) : '(whole)'
}

const unknownField = ({ method, routeOptions }: FastifyRequest, field: string): Failure =>
  new Failure(
    'input.invalid',
    `the request can't be accepted: ${field}: unknown; ${method} ${routeOptions.url} takes no such field`,
    { path: field },
  )
